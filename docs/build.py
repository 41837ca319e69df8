"""Gathers the pages of the site in one folder, from what the repository already says: texts as they stand, the help of the
program, the comments of the public headers, the notebooks that were executed. MkDocs makes the site of them (mkdocs.yml)."""

from __future__ import annotations

import argparse
import html
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTION = re.compile(r"^ {2,6}(-\S.*?)(?: {2,}(\S.*))?$")
TEXT_COLUMN = 26  # of the texts of options
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# ---- texts of the repository -----------------------------------------------------------------------------------------


def texts(source: Path) -> None:
    """Copies every tracked page, and every file that one of them links to. A link that leads nowhere is an error."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in listed:
        page = ROOT / name
        write(source / name, page.read_text(encoding="utf-8"))
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            target = (page.parent / link).resolve()
            if "://" in link or link.startswith("mailto:"):
                continue
            if not target.is_file():
                raise SystemExit(f"{name}: the link {link} leads to no file")
            if target.suffix != ".md":
                copy = source / target.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(target, copy)


# ---- help of the program ---------------------------------------------------------------------------------------------


def printed(program: Path, *words: str) -> str:
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def block(lines: list[str], language: str = "text") -> str:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return "```" + language + "\n" + "\n".join(lines) + "\n```\n\n" if lines else ""


def options(lines: list[str]) -> str:
    """Options as a list of terms: a line that begins one, and those after it that stand in the column of texts."""
    out = ['<dl markdown="0">']
    for line in lines:
        begun = OPTION.match(line)
        if begun:
            if len(out) > 1:
                out.append("</dd>")
            out += [f"<dt>{html.escape(begun[1])}</dt>", f"<dd>{html.escape(begun[2] or '')}"]
        else:
            out.append(html.escape(line.strip()))
    return "\n".join([*out, "</dd>", "</dl>", ""])


def paragraphs(text: str) -> list[list[str]]:
    return [part.split("\n") for part in re.split(r"\n\s*\n", text.strip("\n"))]


def help_page(text: str) -> str:
    """The text of one command in Markdown: its usage, its words, its options, its examples and tables."""
    out = ['<div class="help" markdown="1">\n']
    for part in paragraphs(text):
        if part[0].startswith("usage:"):
            out.append(block(part))
        elif OPTION.match(part[0]):
            out.append(options(part) + "\n")
        elif re.fullmatch(r"\S.*:", part[0]) and len(part) > 1:
            shell = part[0].startswith("example")
            out.append(
                f"**{html.escape(part[0][:-1].capitalize())}**\n\n" + block([line[2:] for line in part[1:]], "sh" if shell else "text")
            )
        elif any(line.startswith(" ") for line in part):
            out.append(block(part))
        else:
            out.append(html.escape(" ".join(part), quote=False) + "\n\n")
    return "\n".join([*out, "</div>\n"])


def commands(program: Path, source: Path) -> list[str]:
    """A page for each command, and those of the scenario and the metrics; returns the names of the commands."""
    listed = [line.split("\t") for line in printed(program, "--list-commands").splitlines()]
    names = [fields[1] for fields in listed if fields[0] == "command"]
    table = "".join(f"| [`{name}`]({name}.md) | {html.escape(text)} |\n" for kind, name, text in listed if kind == "command")
    about = printed(program, "help").split("\n\n")
    after = "\n\n".join(
        block([line[2:] for line in part.split("\n")[1:]], "sh") if part.startswith("example") else html.escape(part, quote=False)
        for part in about[3:]
    )
    write(
        source / "commands/index.md",
        f"---\nhide: [toc]\n---\n\n# All commands\n\n| command | what it does |\n| --- | --- |\n{table}\n{after}\n",
    )
    for name in names:
        write(source / f"commands/{name}.md", f"---\nhide: [toc]\n---\n\n# planwave {name}\n\n{help_page(printed(program, 'help', '--all', name))}")
    for name, title in (("scenario", "Keys of a scenario"), ("metrics", "Metrics")):
        text = block(printed(program, "help", name).rstrip().split("\n"))
        said = f"What `planwave help {name}` prints."
        write(
            source / f"commands/{name}.md",
            f'---\nhide: [toc]\n---\n\n# {title}\n\n{said}\n\n<div class="help" markdown="1">\n\n{text}\n</div>\n',
        )
    return names


# ---- the C interface -------------------------------------------------------------------------------------------------


def comment_text(comment: str) -> str:
    """The words of a comment; what is set off by more than one space stays as it stands."""
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in comment[2:-2].strip("\n").split("\n")]
    out, drawn = [], []
    for line in [*lines, ""]:
        if line.startswith("   "):
            drawn.append(line)
            continue
        if drawn:
            out.append("\n" + block(drawn))
            drawn = []
        out.append(html.escape(line.strip(), quote=False).replace("*", r"\*").replace("_", r"\_"))
    return "\n".join(out).strip() + "\n\n"


def declared(code: str) -> list[str]:
    """Names of functions and types that a piece of a header declares."""
    kept = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    types = re.findall(r"^(?:typedef (?:struct|enum) \w+ )?(?:\{.*)?(?:\}\s*)?(pw_\w+);", kept, flags=re.M)
    calls = re.findall(r"^\w[\w\s]*?[ *](pw_\w+)\(", kept, flags=re.M)
    return [*dict.fromkeys(types + calls)] or re.findall(r"typedef [^;]*\(\*(pw_\w+)\)", kept)


def pieces(text: str) -> list[tuple[str, str]]:
    """(comment, declarations) of a header, in order: a comment at the start of a line begins a piece, and so does an empty line."""
    out: list[tuple[str, str]] = []
    comment, code, depth, at = "", "", 0, 0
    while at < len(text):
        if depth == 0 and text.startswith("/*", at) and (at == 0 or text[at - 1] == "\n"):
            if code.strip():
                out.append((comment, code))
            end = text.index("*/", at) + 2
            comment, code, at = text[at:end], "", end
            continue
        line_end = text.find("\n", at) + 1 or len(text)
        line = text[at:line_end]
        plain = re.sub(r"/\*.*?(\*/|$)", "", line)
        depth += plain.count("{") - plain.count("}")
        if not line.strip() and depth == 0 and code.strip():
            out.append((comment, code))
            comment, code = "", ""
        code, at = code + line, line_end
    return out + [(comment, code)] if code.strip() else out


def header_page(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    text = re.sub(r'#ifdef __cplusplus\n(extern "C" \{|\})\n#endif\n', "", text)
    first = re.match(r"/\*.*?\*/", text, flags=re.S)
    body = re.sub(
        r"^#(ifndef|define|endif).*PLANWAVE_\w+_H.*\n|^#endif.*\n|^#include.*\n|^#ifndef.*\n", "", text[first.end() :], flags=re.M
    )
    out = [f"# {path.name}\n\n", comment_text(first[0])]
    for comment, code in pieces(body):
        names = declared(code)
        out.append(f"## {', '.join(names).replace('_', chr(92) + '_')}\n\n" if names else "")
        out.append(comment_text(comment) if comment else "")
        out.append(block(code.strip("\n").split("\n"), "c"))
    return "".join(out)


def headers(source: Path) -> list[str]:
    """A page for each header, in the order of the umbrella; returns their names."""
    umbrella = (ROOT / "src/planwave.h").read_text(encoding="utf-8")
    applications = (ROOT / "tools/planwave_tools.h").read_text(encoding="utf-8")
    order = [ROOT / "src" / name for name in re.findall(r'#include "(api/[\w/]+\.h)"', umbrella)]
    order += [ROOT / "tools" / name for name in re.findall(r'#include "(\w+/\w+\.h)"', applications)]
    rows = ""
    for path in order:
        first = re.match(r"/\*.*?\*/", path.read_text(encoding="utf-8"), flags=re.S)[0]
        said = re.split(r"(?<=[.;:])\s", " ".join(comment_text(first).split()))[0].rstrip(".;:")
        stem = path.stem.removeprefix("planwave_")
        rows += f"| [`{stem}.h`]({stem}.md) | {said} |\n"
        write(source / f"c/{stem}.md", header_page(path))
    about = comment_text(re.match(r"/\*.*?\*/", umbrella, flags=re.S)[0])
    write(source / "c/index.md", f"# The C interface\n\n{about}| header | what |\n| --- | --- |\n{rows}")
    return [path.stem.removeprefix("planwave_") for path in order]


# ---- the Python package ----------------------------------------------------------------------------------------------


def python(source: Path) -> list[str]:
    """A page for each module, which mkdocstrings fills from the docstrings; returns their names."""
    package = ROOT / "python/planwave"
    found = {path.relative_to(package).with_suffix("").as_posix().replace("/", "."): path for path in sorted(package.rglob("*.py"))}
    parts = [name for name in found if not name.split(".")[-1].startswith("_")]
    first = [name for name in ("scenario", "result", "channel", "pairs", "maps", "calibration", "simulation") if name in parts]
    parts = first + [name for name in parts if name not in first]
    rows = ""
    for name in parts:
        said = re.match(r'"""(.*?)(?:[.;:]\s|\.?""")', found[name].read_text(encoding="utf-8"), flags=re.S)
        rows += f"| [`planwave.{name}`]({name}.md) | {' '.join(said[1].split())} |\n"
        write(
            source / f"python/{name}.md",
            f"# planwave.{name}\n\n::: planwave.{name}\n    options: {{show_root_heading: false, show_root_toc_entry: false}}\n",
        )
    about = "# The package\n\n::: planwave\n    options: {members: false, show_root_heading: false, show_root_toc_entry: false}\n\n"
    write(source / "python/package.md", f"{about}| module | what |\n| --- | --- |\n{rows}")
    return parts


# ---- all of it -------------------------------------------------------------------------------------------------------


def tutorials(notebooks: Path, source: Path) -> list[str]:
    """The pages of the notebooks, if notebooks.py has made them; returns their names."""
    if not (notebooks / "done").exists():
        write(source / "tutorials/index.md", "# Tutorials\n\nThis site was built without them: `make notebooks` runs them, and `make docs` then takes them in.\n")
        return []
    shutil.copytree(notebooks, source / "tutorials", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.ipynb", "*.seconds", "done"))
    names, rows = [], ""
    for page in sorted(path for path in (source / "tutorials").glob("*.md") if path.stem != "index"):
        text = page.read_text(encoding="utf-8")
        title = re.search(r"^# (.*)$", text, flags=re.M)[1]
        said = " ".join(text.split("\n\n")[1].split())
        rows += f"| [{title}]({page.name}) | {said} |\n"
        names.append(page.stem)
    about = "Each tutorial is a notebook that was executed when this site was built; everything that stands under its code is what it printed\nand drew."
    write(source / "tutorials/index.md", f"# Tutorials\n\n{about}\n\n| tutorial | what it shows |\n| --- | --- |\n{rows}")
    return names


def configuration(folder: Path, names: dict[str, list[str]]) -> None:
    """mkdocs.yml with the pages that were found under each of the index pages."""
    text = (
        (ROOT / "docs/mkdocs.yml").read_text(encoding="utf-8").replace("../build/docs/", "").replace("[../python]", f"[{ROOT / 'python'}]")
    )
    for index, pages in names.items():
        listed = "".join(f"      - {index.split('/')[0]}/{page}.md\n" for page in pages)
        text, found = re.subn(rf"( +- .*{index}\.md\n)", lambda line: line[0] + listed, text)
        if found != 1:
            raise SystemExit(f"mkdocs.yml has {found} lines for {index}.md")
    write(folder / "mkdocs.yml", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="planwave, whose help is asked")
    parser.add_argument("--notebooks", type=Path, required=True, help="folder of the executed notebooks")
    parser.add_argument("--to", type=Path, required=True, help="folder for mkdocs.yml and source/")
    given = parser.parse_args()
    source = given.to / "source"
    shutil.rmtree(source, ignore_errors=True)
    texts(source)
    made = {"commands/index": commands(given.program.resolve(), source), "c/index": headers(source)}
    made["python/package"] = python(source)
    made["tutorials/index"] = tutorials(given.notebooks, source)
    for name in ("style.css", "page.js"):
        shutil.copyfile(ROOT / "docs" / name, source / name)
    configuration(given.to, made)


if __name__ == "__main__":
    main()
