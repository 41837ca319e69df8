"""Executes the tutorials and makes a page of each for the site, with what they printed and drew.

They are kept as scripts with cells (docs/notebooks/*.py, jupytext's percent format): they show what changed in a diff, lint and run as
programs, and hold no outputs that could grow old. This makes notebooks (.ipynb) of them, which Jupyter opens, and pages (.md)."""

from __future__ import annotations

import argparse
import base64
import re
import sys
import time
from pathlib import Path

import jupytext
import nbclient
import nbformat

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 300  # seconds a cell may take
WARNING = re.compile(r"^\S+:\d+: (\w*Warning: .*)\n(?:  .*\n)?", flags=re.M)


def text_of(output: nbformat.NotebookNode) -> str:
    """What an output says, without colours."""
    text = output.text if output.output_type == "stream" else output.data.get("text/plain", "")
    return re.sub(r"\x1b\[[0-9;]*m", "", text).rstrip()


def figure_name(page: Path, number: int, source: str) -> tuple[str, str]:
    """A file beside the page, and words for those who cannot see it: the heading over it."""
    headings = re.findall(r"^#+ (.*)$", source, flags=re.M)
    return f"{page.stem}_{number}.png", headings[-1] if headings else page.stem


def page_of(notebook: nbformat.NotebookNode, page: Path) -> str:
    """The notebook in Markdown; figures become files beside the page."""
    out, figures, said = [], 0, ""
    for cell in notebook.cells:
        if cell.cell_type != "code":
            said += "\n" + cell.source
            out.append(cell.source)
            if cell.source.startswith("# "):
                out.append(f"[The notebook, as executed]({page.stem}.ipynb){{download}}")
            continue
        out.append(f"```python\n{cell.source}\n```")
        texts = [text_of(output) for output in cell.outputs if output.output_type == "stream" or "image/png" not in output.get("data", {})]
        if any(texts):
            out.append('<div class="output" markdown="1">\n\n```text\n' + "\n".join(filter(None, texts)) + "\n```\n\n</div>")
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                figures += 1
                name, words = figure_name(page, figures, said)
                page.with_name(name).write_bytes(base64.b64decode(output.data["image/png"]))
                out.append(f"![{words}]({name})")
    return "\n\n".join(out) + "\n"


def execute(script: Path, folder: Path) -> float:
    """Runs one of them in the root of the repository; returns seconds. A cell that fails ends it."""
    start = time.perf_counter()
    notebook = jupytext.read(script)
    nbclient.NotebookClient(notebook, timeout=LIMIT, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    seconds = time.perf_counter() - start
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        if output.output_type == "stream":  # neither the place of this checkout, nor of the temporary file that warnings name
            output.text = WARNING.sub(r"\1\n", output.text).replace(f"{ROOT}/", "")
    page = folder / f"{script.stem}.md"
    nbformat.write(notebook, page.with_suffix(".ipynb"))
    page.write_text(page_of(notebook, page), encoding="utf-8")
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scripts", nargs="+", type=Path, help="docs/notebooks/*.py")
    parser.add_argument("--to", type=Path, required=True, help="folder for notebooks, pages and figures")
    given = parser.parse_args()
    given.to.mkdir(parents=True, exist_ok=True)
    failed, total = 0, 0.0
    for script in given.scripts:
        try:
            seconds = execute(script, given.to)
        except (nbclient.exceptions.CellExecutionError, nbclient.exceptions.CellTimeoutError) as failure:
            failed += 1
            print(f"{script.name:24} FAILED\n{failure}", flush=True)
            continue
        total += seconds
        print(f"{script.name:24} passed {seconds:6.1f} s", flush=True)
    print(f"{len(given.scripts) - failed} passed, {failed} failed, {total:.0f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
