"""Several small pools of connections, filled one after the other, each in the loop it belongs to."""

import asyncio

from colbench.chat.connections import Connections


class Sdk:
    def __init__(self):
        self.closed = False

    async def close(self):
        self.closed = True


def test_pools_are_filled_one_after_the_other_and_closed_with_their_loop():
    made = []

    def make():
        made.append(Sdk())
        return made[-1]

    connections = Connections(make)

    async def hold(n, used):
        with connections.use() as sdk:
            used.append(sdk)
            await asyncio.sleep(0.01)

    async def run(count):
        used = []
        await asyncio.gather(*(hold(n, used) for n in range(count)))
        await hold(0, used)
        return used

    first = asyncio.run(run(70))
    assert [first.count(sdk) for sdk in made] == [17, 16, 16, 16, 6]
    # Another loop has pools of its own; the first pool is enough for a few.
    second = asyncio.run(run(3))
    assert second == [made[5]] * 4

    async def close():
        used = await run(2)
        await connections.aclose()
        return used

    assert asyncio.run(close()) == [made[6]] * 3
    assert [sdk.closed for sdk in made] == [False] * 6 + [True]
