import {
  startInterviews,
  startOther,
  closeInterviews,
  words,
  settled,
  visible,
} from './interviews';
import { newCandidate } from './interviewee';
import { StopRequests } from '../../src/interview/turn/stopping';
import type { TestApp } from '../support/app';
import { untilInProcess } from '../support/until';

/** A request to one replica ends the reply that another replica writes. */

let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startInterviews();
  other = await startOther(app);
  await other.worker.tick();
});

afterAll(() => closeInterviews(app));

const SHOWN = 'Half.';

test.each(['stop', 'withdraw', 'askForPerson'] as const)(
  '%s ends the reply at the text that was shown',
  async (what) => {
    const candidate = await newCandidate(app);
    app.model.next({
      kind: 'hold',
      content: '{"verdict":"answered","text":"Half. A',
      rest: 'nd the rest."}',
    });
    await candidate.start(app, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, candidate.id) === SHOWN,
    );

    await candidate[what](other);
    await app.get(StopRequests).check();
    await settled(app);
    app.model.release();

    expect(await candidate.replies()).toEqual([SHOWN]);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: true }]);
  },
);
