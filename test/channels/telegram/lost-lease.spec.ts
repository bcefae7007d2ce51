import type { BotReplySender } from '../../../src/channels/telegram/intake/bot-replies';
import { IntakeWorker } from '../../../src/channels/telegram/intake/intake.worker';
import type { UnitOfWork } from '../../../src/common/uow';
import { type Claim, type JobFlow, LeaseLostError } from '../../../src/jobs';

const CLAIM: Claim = {
  jobId: '1',
  claimNo: 1,
  queue: 'intake',
  key: '7',
  failures: 1,
  payload: null,
  dueAt: new Date(0),
  firstAt: new Date(0),
  takenOver: false,
};

test('a chat whose lease is lost does not call the Bot API, also during an outage', async () => {
  const responds = jest.fn<Promise<boolean>, []>(() => Promise.resolve(true));
  const peerResponded = jest.fn();
  const worker = new IntakeWorker(
    { fence: () => Promise.resolve() } as never,
    {} as never,
    { handle: () => Promise.resolve({ wasAny: false }) } as never,
    { lockKnown: () => Promise.resolve(null) } as never,
    {} as never,
    { responds } as unknown as BotReplySender,
    { take: () => Promise.resolve({ kind: 'outage', failureNo: '1' }) } as never,
    {} as never,
  );
  const flow: JobFlow = {
    uow: {
      commit: (_label: string, work: (tx: object) => unknown) => Promise.resolve(work({})),
    } as unknown as UnitOfWork,
    signal: new AbortController().signal,
    holdsLease: false,
    assertLease: () => {
      throw LeaseLostError.of(CLAIM);
    },
    peerResponded,
  };

  await expect(worker.run(CLAIM, flow)).rejects.toThrow(LeaseLostError);

  expect(responds).not.toHaveBeenCalled();
  expect(peerResponded).not.toHaveBeenCalled();
});
