import { Logger, type ArgumentsHost } from '@nestjs/common';
import { ProblemFilter } from '../../../src/common/http';
import {
  CommitOutcomeUnknownError,
  DatabaseBusyError,
  DatabaseUnavailableError,
  PoolExhaustedError,
} from '../../../src/common/uow';

/** What the filter answered, as a client sees it. */
function answerTo(error: unknown): { status: number; headers: Record<string, string> } {
  const answered = { status: 0, headers: {} as Record<string, string> };
  const reply = {
    sent: false,
    raw: { headersSent: false },
    header(name: string, value: string) {
      answered.headers[name] = value;
      return reply;
    },
    code(status: number) {
      answered.status = status;
      return reply;
    },
    send: () => reply,
  };
  const request = { method: 'GET', routeOptions: {} };
  const http = { getResponse: () => reply, getRequest: () => request };
  const host = { getType: () => 'http', switchToHttp: () => http };
  new ProblemFilter().catch(error, host as unknown as ArgumentsHost);
  return answered;
}

beforeAll(() => {
  Logger.overrideLogger(false);
});

afterAll(() => {
  Logger.overrideLogger(new Logger());
});

describe('a retryable problem', () => {
  test.each([
    PoolExhaustedError,
    DatabaseBusyError,
    DatabaseUnavailableError,
    CommitOutcomeUnknownError,
  ])('%p gets 503 with Retry-After', (Trouble) => {
    const error = new Trouble('later');

    const { status, headers } = answerTo(error);

    expect(error.retryable).toBe(true);
    expect(status).toBe(503);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });
});
