"""What a run came to, told after the run and without a model: figures, comparisons, and pages to read them on."""

from colbench.report.comparison import Comparison, compare
from colbench.report.figures import RunFigures, collect
from colbench.report.writing import Report, make_report

__all__ = ["Comparison", "Report", "RunFigures", "collect", "compare", "make_report"]
