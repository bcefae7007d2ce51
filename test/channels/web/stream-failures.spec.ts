import { Logger } from '@nestjs/common';
import { ReplyStreamer } from '../../../src/channels/web/chat/reply-streamer';
import { EventStreams } from '../../../src/channels/web/events/event-streams';
import type { SseResponse } from '../../../src/channels/web/events/sse-response';
import { ColloquyError } from '../../../src/common/errors';
import type { UnitOfWork } from '../../../src/common/uow';
import { turnOfLoop } from '../../support/until';

class StubError extends ColloquyError {
  readonly code = 'stub';
  readonly retryable = false;
}

const ERROR = new StubError('the plan cannot be read', { fields: { planVersion: 7 } });
/** The logger describes an error and adds its fields only if it gets the error itself. */
const LINE = [expect.stringContaining('of-ada; the connection was closed'), ERROR];

const uow = {
  commit: () => Promise.reject(ERROR),
  commitOne: () => Promise.reject(ERROR),
  close: () => undefined,
} as unknown as UnitOfWork;
const live = { watch: () => () => undefined, current: () => undefined };

describe('the log line of a stream that fails has the error', () => {
  let logged: jest.SpyInstance;
  let destroy: jest.Mock;
  let response: SseResponse;

  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    destroy = jest.fn();
    response = { isClosed: false, wakeSignal: {}, destroy } as unknown as SseResponse;
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('of a reply', async () => {
    const streamer = new ReplyStreamer({} as never, {} as never, live as never, {} as never);

    await streamer.stream(uow, response, {
      answer: { conversationId: 'of-ada', answerId: '1' },
    });

    expect(logged.mock.calls).toEqual([LINE]);
    expect((logged.mock.calls as unknown[][])[0]?.[1]).toBe(ERROR);
    expect(destroy).toHaveBeenCalledTimes(1);
  });

  test('of events', async () => {
    const streams = new EventStreams(
      { open: () => uow } as never,
      {} as never,
      {} as never,
      live as never,
      {} as never,
      {} as never,
      { open: () => response } as never,
      { database: { poolSize: 1 } } as never,
    );

    streams.stream({ headers: {}, query: {} } as never, {} as never, {
      conversationId: 'of-ada',
      readers: 'watchers of of-ada',
    });
    await turnOfLoop();

    expect(logged.mock.calls).toEqual([LINE]);
    expect((logged.mock.calls as unknown[][])[0]?.[1]).toBe(ERROR);
    expect(destroy).toHaveBeenCalledTimes(1);
  });
});
