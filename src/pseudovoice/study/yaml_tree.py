"""YAML that somebody else wrote: plain values, of a bounded size, each name once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from pseudovoice.errors import InputError

MERGE, TEXT, SET = (f"tag:yaml.org,2002:{kind}" for kind in ("merge", "str", "set"))
MOST_BYTES = 1 << 20
"""A plan is a page of text; what is larger is something else."""
MOST_REFERENCES, MOST_FIELDS = 1000, 1000
"""Of ``*names`` in a plan, and of fields of one mapping: each may stand for many of the other."""


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
    """Safe YAML that refuses a field written twice: the second would silently win.

    Nor does a page of text that takes over fields of fields of fields grow without end.
    """

    references = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            self.references += 1
            if self.references > MOST_REFERENCES:
                mark = self.peek_event().start_mark
                raise yaml.composer.ComposerError(None, None, "too many references", mark)
        return super().compose_node(parent, index)

    def flatten_mapping(self, node: Any) -> None:
        super().flatten_mapping(node)
        if len(node.value) > MOST_FIELDS:
            raise yaml.constructor.ConstructorError(
                None, None, f"a mapping of more than {MOST_FIELDS} fields", node.start_mark
            )

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for name, _ in node.value:
                # Fields taken over from elsewhere may be written again.
                if name.tag == MERGE or not isinstance(name, yaml.ScalarNode):
                    continue
                if name.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the field {name.value!r} is written twice", name.start_mark
                    )
                seen.add(name.value)
            self.flatten_mapping(node)
            node.value = [(_as_text(name), value) for name, value in node.value]
        made: dict[Any, Any] = super().construct_mapping(node, deep)
        return made


def _as_text(name: Any) -> Any:
    """A name is a text, also that of a set called 2020."""
    if not isinstance(name, yaml.ScalarNode):
        return name
    return yaml.ScalarNode(TEXT, name.value, name.start_mark, name.end_mark)


# A set has no order; it would be taken for a list.
_Loader.add_constructor(SET, yaml.SafeLoader.construct_undefined)


def yaml_tree(path: Path) -> Any:
    """What a plan's file holds; whatever is wrong with it is an `InputError`."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such plan; `pseudovoice run --list` names those that come along."
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path.") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"{path}: is {len(data):,} bytes long, which no plan is; check the path.")
    try:
        # A subclass of SafeLoader: it makes plain texts, numbers, lists and mappings only.
        return yaml.load(data.decode("utf-8"), _Loader)
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is not UTF-8 text; convert the file to UTF-8.") from None
    # What PyYAML raises for a value that is not of the kind its tag says, such as !!bool maybe.
    except (yaml.YAMLError, RecursionError, ValueError, LookupError, AttributeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark is not None else ""
        what = getattr(error, "problem", None) or type(error).__name__
        raise InputError(
            f"{path}{where}: this is not the YAML of a plan ({what}); correct the line."
        ) from None
