"""What Flower shows of a message comes from its headers: task names and ids, never anybody's words."""

import base64
import json

from slowwave import QueueClient, queue
from slowwave.embedded.redis import RedisServer

WORDS = "I buried the treasure under the old oak"


def test_the_headers_of_an_ingest_name_the_task_and_show_no_words(mortal_redis: RedisServer) -> None:
    with QueueClient(mortal_redis.broker_url) as client:
        client.scope(user="alice").push(WORDS)

    with queue.redis_client(mortal_redis.broker_url) as redis:
        message = json.loads(str(redis.lindex(queue.QUEUE, 0)))
    assert message["headers"]["task"] == queue.INGEST
    assert message["headers"]["kwargsrepr"] == queue.UNSHOWN
    assert "treasure" not in json.dumps(message["headers"])
    assert "treasure" in base64.b64decode(message["body"]).decode()
