"""The interview of `interview.py` by `serve` alone, in a real browser, and what every step costs.

Dropped, who speaks found and measured against the truth, protected with the safeguard that the page
offers first, heard, compared, signed, and the release saved. Memory is that of the server and all
its processes together. Pictures of the page after each step are kept in FOLDER/pictures.

Run: python benchmarks/interview.py FOLDER --compose
     python benchmarks/interview_served.py FOLDER [--safeguard NAME]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import av

from costs import EVERY, resident, spent, tree
from interview import NAME, ROOT
from timing import versions

sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "serve")]
from test_serve_browser import state, type_into, visit  # noqa: E402

import reading  # noqa: E402
from reading import Reader  # noqa: E402

reading.PATIENCE = 600.0
SELDOM = 5.0
"""Seconds between looks at what takes long; whoever looks more often is part of the cost."""
SIGNED = (("purpose", "Teaching of interviewers"), ("name", "B. Controller, data protection"))


@contextmanager
def served(folder: Path) -> Iterator[tuple[int, str]]:
    """A server as a user starts it: the number of its process, and the address of its page."""
    program = [sys.executable, "-m", "pseudovoice", "serve", "results", "--no-browser"]
    with subprocess.Popen(program, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address is not None
        try:
            yield server.pid, address[0]
        finally:
            server.terminate()


@contextmanager
def browser(downloads: Path) -> Iterator[Any]:
    """Debian's chromium without a window."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--mute-audio"):
        options.add_argument(argument)
    options.add_argument("--disable-dev-shm-usage")
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    try:
        yield found
    finally:
        found.quit()


class Walker:
    """Whoever sits before the page, with an eye on what the server takes."""

    def __init__(self, reader: Reader, server: int, pictures: Path, hours: float) -> None:
        self.reader, self.server, self.pictures, self.hours = reader, server, pictures, hours
        pictures.mkdir(exist_ok=True)

    def step(self, name: str, do: Callable[[], object]) -> None:
        begin, before, most = perf_counter(), spent(tree(self.server)), [0.0]
        ended = threading.Event()

        def look() -> None:
            while not ended.wait(EVERY):
                most[0] = max(most[0], resident(tree(self.server)))

        watching = threading.Thread(target=look)
        watching.start()
        try:
            do()
        finally:
            ended.set()
            watching.join()
            self.picture(name)
        used = spent(tree(self.server)) - before
        print(
            f"  {name:10} {most[0]:6.0f} MB {used / self.hours:8.0f} "
            f"{(perf_counter() - begin) / self.hours:7.0f}",
            flush=True,
        )

    def run(self, button: str) -> None:
        """Start something that takes long, see it to its end, and say what it said."""
        self.reader.click(button)
        self.reader.until(lambda: state(self.reader) == "running")
        while state(self.reader) == "running":
            sleep(SELDOM)
        print(f"    | {self.reader.text('#run .message')}", flush=True)

    def picture(self, name: str) -> None:
        """All of the page, as it stands."""
        reader = self.reader
        tall = int(reader.js("return document.documentElement.scrollHeight"))
        reader.look(width=1440, height=min(tall, 6000), dark=False)
        reader.driver.save_screenshot(str(self.pictures / f"{name}.png"))
        reader.look(width=1440, height=900, dark=False)


def drop(reader: Reader, file: Path) -> None:
    x, y = reader.middle("#choose .zone")
    data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        reader.cdp("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": data})
    reader.until(lambda: not reader.js("return document.getElementById('who').hidden"))


def measure(reader: Reader, truth: Path) -> None:
    reader.click("details.reference summary")
    reader.find("#pick-reference").send_keys(str(truth))
    print(f"    | {reader.until(lambda: reader.text('#reference-says'))}", flush=True)


def listen(reader: Reader) -> None:
    for side in (1, 2):
        reader.click(f".side:nth-child({side})")
        at = float(reader.js("return document.querySelector('.listening input').value"))
        reader.until(
            lambda at=at: (
                float(reader.js("return document.querySelector('.listening input').value")) > at
            )
        )
    reader.click(".side:nth-child(2)")


def sign(reader: Reader) -> None:
    reader.click(".decision summary")
    take = str(reader.js("return document.querySelector('.deciding [id$=-purpose]').id"))
    for field, text in SIGNED:
        type_into(reader, f"[id='{take.removesuffix('purpose')}{field}']", text)
    reader.click(".deciding .segments input")
    reader.click(".deciding button[type=submit]")
    reader.until(lambda: reader.texts(".signed"))


def hand_on(walker: Walker, reader: Reader, downloads: Path) -> None:
    walker.run("[id^=pack-]")
    reader.until(lambda: reader.texts("[id^=release-]"))
    reader.click("[id^=release-]")
    (packed,) = reader.until(lambda: list(downloads.glob("*.zip")))
    print(f"    | {packed.name}, {packed.stat().st_size / 2**20:.0f} MB", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--safeguard", help="another than the page offers first")
    given = options.parse_args()
    folder = given.folder.resolve()
    recording = folder / "interviews" / f"{NAME}.m4a"
    with av.open(recording) as sound:
        assert sound.duration is not None
        hours = sound.duration / av.time_base / 3600
    downloads = folder / "downloads"
    downloads.mkdir(exist_ok=True)
    os.environ.setdefault("SE_OFFLINE", "true")
    print(f"{60 * hours:.1f} minutes, per hour of recording ({versions()})")
    print(f"  {'':10} {'peak':>9} {'CPU s/h':>8} {'s/h':>7}", flush=True)
    with served(folder) as (server, address), browser(downloads) as driver:
        reader = Reader(driver)
        reader.look(width=1440, height=900, dark=False)
        visit(reader, address)
        walker = Walker(reader, server, folder / "pictures", hours)
        walker.step("drop", lambda: drop(reader, recording))
        walker.step("find", lambda: walker.run("#find"))
        walker.step("measure", lambda: measure(reader, folder / "truth.rttm"))
        if given.safeguard is not None:
            reader.click(f"#safeguard-{given.safeguard}")
        walker.step("protect", lambda: walker.run("#go"))
        reader.until(lambda: reader.texts(".take-card"))
        walker.step("listen", lambda: listen(reader))
        walker.step("compare", lambda: walker.run(".compare"))
        walker.step("sign", lambda: sign(reader))
        walker.step("release", lambda: hand_on(walker, reader, downloads))
        for said in reader.console():
            print(f"    | console: {said}")


if __name__ == "__main__":
    main()
