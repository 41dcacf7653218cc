"""What `pseudovoice demo` shows to someone who has no data at hand."""

from pseudovoice.demo.equipment import Equipment, equip
from pseudovoice.demo.lines import five_lines
from pseudovoice.demo.run import demo_plan, run_demo
from pseudovoice.demo.speech import DemoSpeech, demo_speech

__all__ = [
    "DemoSpeech",
    "Equipment",
    "demo_plan",
    "demo_speech",
    "equip",
    "five_lines",
    "run_demo",
]
