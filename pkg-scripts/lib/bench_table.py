"""Puts the results of benchmark programs side by side, as one table of Markdown.

    python3 bench_table.py NAME=FILE ...

Each FILE is what `lanthorn bench --json` or `torch_gpu.py` printed. The limit of a workload is the least time that its bytes take at the highest
bandwidth that any of the programs measured, or its operations at the highest rate. The ratios are those of the first program: the share of the limit
that it reaches, and its time over that of the fastest of the programs whose name begins with PyTorch.
"""

import json
import sys


def best_limits(reports):
    """The highest of each limit."""
    best = {}
    for report in reports.values():
        for key, rate in report["limits"].items():
            best[key] = max(rate, best.get(key, 0))
    return best


def by_name(report):
    """The outcomes of a report by the names of their workloads."""
    return {outcome["name"]: outcome for outcome in report["workloads"]}


def limit(outcome, limits):
    """The least milliseconds for the work, or None where a rate was not measured."""
    times = []
    for work, rate in (outcome["bytes"], "bandwidth"), (outcome["operations"], outcome["arithmetic"]):
        if work > 0:
            if rate not in limits:
                return None
            times.append(work / limits[rate] / 1e6)
    return max(times, default=None)


def milliseconds(outcome):
    """What was measured of a workload, or None."""
    return outcome.get("ms") if outcome else None


def cell(outcome):
    """What the table says of it."""
    if not outcome:
        return ""
    if "ms" in outcome:
        return f"{outcome['ms']:.3f}"
    return "failed" if "failed" in outcome else "–"


def table(reports):
    """The lines of the table for reports by name."""
    limits = best_limits(reports)
    first = next(iter(reports))
    heads = ["workload", *(f"{name}, ms" for name in reports), "limit, ms", "of the limit", "over PyTorch's"]
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    # In the order of the first program.
    names = dict.fromkeys(outcome["name"] for report in reports.values() for outcome in report["workloads"])
    for name in names:
        outcomes = {key: by_name(report).get(name) for key, report in reports.items()}
        cells = [name, *map(cell, outcomes.values())]
        measured = next((outcome for outcome in outcomes.values() if outcome and "ms" in outcome), None)
        least = limit(measured, limits) if measured else None
        ours = milliseconds(outcomes[first])
        peers = [time for key, each in outcomes.items() if key.startswith("PyTorch") and (time := milliseconds(each))]
        # A lower bound shorter than the table's precision means nothing.
        cells.append(f"{least:.3f}" if least and least >= 5e-4 else "")
        cells.append(f"{100 * least / ours:.0f} %" if cells[-1] and ours else "")
        cells.append(f"{ours / min(peers):.2f}" if ours and peers else "")
        yield "| " + " | ".join(cells) + " |"


def main():
    reports = {}
    for argument in sys.argv[1:]:
        name, _, path = argument.partition("=")
        with open(path, encoding="utf-8") as file:
            reports[name] = json.load(file)
    if not reports:
        sys.exit(__doc__)
    for name, report in reports.items():
        print(f"- {name}: {report['description']}")
        for outcome in report["workloads"]:
            if "failed" in outcome:
                print(f"    - {outcome['name']} failed: {outcome['failed']}")
    for key, rate in best_limits(reports).items():
        print(f"- limit: {key} {rate:.1f} {'GB/s' if key == 'bandwidth' else 'GFLOP/s'}")
    print()
    print("\n".join(table(reports)))


if __name__ == "__main__":
    main()
