"""Events of tasks in Flower come from the message headers: task names and ids, without user text."""

import base64
import json
from typing import Any, cast

from celery import Celery

from slowwave import QueueClient
from slowwave.broker import queue
from slowwave.broker.envelope import UNSHOWN
from slowwave.embedded_services.redis import RedisServer

WORDS = "I buried the treasure under the old oak"


def test_the_headers_of_an_ingest_name_the_task_and_show_no_words(mortal_redis: RedisServer) -> None:
    with QueueClient(mortal_redis.broker_url) as client:
        client.scope(user="alice").push(WORDS)

    with queue.redis_client(mortal_redis.broker_url) as redis:
        message = json.loads(str(redis.lindex(queue.QUEUE, 0)))
    assert message["headers"]["task"] == queue.INGEST
    assert message["headers"]["kwargsrepr"] == UNSHOWN
    assert "treasure" not in json.dumps(message["headers"])
    assert "treasure" in base64.b64decode(message["body"]).decode()


def test_a_message_equals_one_that_celery_sends(mortal_redis: RedisServer) -> None:
    queue.configure(mortal_redis.broker_url)
    queue.send(queue.INGEST, ["one", 2], {"user": "alice"}, task_id="77")

    app = Celery("another", broker=mortal_redis.broker_url, set_as_current=False)
    app.send_task(queue.INGEST, ["one", 2], {"user": "alice"}, task_id="77", queue=queue.QUEUE, ignore_result=True)
    app.close()

    with queue.redis_client(mortal_redis.broker_url) as redis:
        theirs, ours = (json.loads(str(each)) for each in cast(list[str], redis.lrange(queue.QUEUE, 0, 1)))
    assert _comparable(ours) == _comparable(theirs)


def _comparable(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message without its random and its hidden parts, with its body decoded."""
    headers = {**message["headers"], "kwargsrepr": ..., "origin": ...}
    properties = {**message["properties"], "delivery_tag": ..., "reply_to": ...}
    return {
        **message,
        "headers": headers,
        "properties": properties,
        "body": json.loads(base64.b64decode(message["body"])),
    }
