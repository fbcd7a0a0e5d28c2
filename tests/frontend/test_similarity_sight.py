"""A page that shows nothing earns nothing, whatever its source holds."""

import pytest

from colbench.frontend.assets import has_asset
from colbench.frontend.renderer import shared_renderer
from colbench.frontend.similarity import load_similarity
from colbench.tasks import load_tasks

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not has_asset("tailwind-2"), reason="needs: colbench assets install"),
]

HIDING = {
    "clip path": "<style>body>*{clip-path:inset(100%)}</style>dot",
    "filter": "<style>body>*{filter:opacity(0)}</style>dot",
    "mask": "<style>body>*{mask-image:linear-gradient(transparent,transparent)}</style>dot",
    "sheet over the page": '<div style="position:fixed;top:0;left:0;width:100%;height:100%;background:#fff"></div>',
}


@pytest.mark.parametrize("trick", HIDING, ids=list(HIDING))
def test_what_cannot_be_seen_does_not_count(trick):
    task = load_tasks("bundled", kind="frontend", split="test")[1]
    renderer, layout = shared_renderer(), load_similarity("layout")
    reference = renderer.reference(task.ground_truth)
    hidden = renderer.render(task.ground_truth.replace("</body>", HIDING[trick] + "</body>"))
    honest = renderer.render(task.ground_truth.replace("</body>", "<p>One line more.</p></body>"))
    scores = layout.score([(hidden, reference), (honest, reference), (reference, reference)])
    assert scores[2] == 1.0
    assert scores[1] > 0.9
    assert scores[0] < 0.5, scores


def test_a_blank_page_scores_nothing_though_its_source_is_the_reference():
    task = load_tasks("bundled", kind="frontend", split="test")[1]
    renderer = shared_renderer()
    reference = renderer.reference(task.ground_truth)
    hidden = renderer.render(
        task.ground_truth.replace("</body>", "<style>body>*{clip-path:inset(100%)}</style></body>")
    )
    assert load_similarity("layout").score([(hidden, reference)])[0] < 0.1
