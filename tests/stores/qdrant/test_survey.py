"""What a survey makes of a point that the ledger does not know: staged long ago it is nobody's, just now a writer's."""

from qdrant_client import models

from ragstone.stores.qdrant.reconciliation import Survey, _judge_point


def test_a_staged_point_is_stale_when_it_is_older_than_any_writer() -> None:
    found = Survey()
    for number, since in enumerate((10.0, 30.0)):
        record = models.Record(id=number, payload={"chunk": "c", "state": "staged", "since": since})
        _judge_point(found, record, None, 20.0)
    assert (found.stale, found.right, found.late) == (["0"], 0, [])
