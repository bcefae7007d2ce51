import { until } from '../support/model-calls';
import type { InterviewProcess } from './interview-process';
import { TurnFixture, words } from './turn-fixture';

/** What is asked of one replica reaches the reply that another one writes. */

let fixture: TurnFixture;
let other: InterviewProcess;

beforeAll(async () => {
  fixture = await TurnFixture.open();
  other = await fixture.another();
  await other.pass();
});

afterAll(() => fixture.close());

const SHOWN = 'Half';

test.each(['stop', 'withdraw', 'askForPerson'] as const)(
  '%s ends it at what was shown',
  async (what) => {
    const candidate = await fixture.candidate();
    fixture.model.next({
      kind: 'hold',
      content: '{"verdict":"answered","text":"Half',
      rest: ' and the rest."}',
    });
    await candidate.start(fixture.main, words());
    await until(() => fixture.main.visible(candidate.id) === SHOWN);

    await candidate[what](other);
    await fixture.main.running.look();
    await fixture.main.settled();
    fixture.model.release();

    expect(await candidate.replies()).toEqual([SHOWN]);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: true }]);
  },
);
