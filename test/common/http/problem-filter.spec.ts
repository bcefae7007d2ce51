import { Logger, type ArgumentsHost } from '@nestjs/common';
import { ProblemFilter } from '../../../src/common/http';
import {
  CommitOutcomeUnknownError,
  DatabaseBusyError,
  DatabaseUnavailableError,
  PoolExhaustedError,
} from '../../../src/common/uow';

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The response of the filter, as a client sees it; status 0: it sent none. */
function responseTo(error: unknown, state = { hasBegun: false, isAborted: false }): Response {
  const response = { status: 0, headers: {} as Record<string, string> };
  const reply = {
    sent: false,
    raw: { headersSent: state.hasBegun },
    header(name: string, value: string) {
      response.headers[name] = value;
      return reply;
    },
    code(status: number) {
      response.status = status;
      return reply;
    },
    send: () => reply,
  };
  const request = {
    method: 'GET',
    routeOptions: { url: '/export' },
    raw: { socket: { destroyed: state.isAborted } },
  };
  const http = { getResponse: () => reply, getRequest: () => request };
  const host = { getType: () => 'http', switchToHttp: () => http };
  new ProblemFilter().catch(error, host as unknown as ArgumentsHost);
  return response;
}

beforeAll(() => {
  Logger.overrideLogger(false);
});

afterAll(() => {
  Logger.overrideLogger(new Logger());
});

describe('an error after the response has begun', () => {
  const error = new Error('broke off');
  let logged: jest.SpyInstance;
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  });
  afterEach(() => {
    logged.mockRestore();
  });

  test('gets an error line instead of a problem document', () => {
    const { status } = responseTo(error, { hasBegun: true, isAborted: false });

    expect(status).toBe(0);
    expect(logged.mock.calls).toEqual([
      [
        'GET /export failed after its response had begun; the client got no problem document',
        error,
      ],
    ]);
    expect((logged.mock.calls as unknown[][])[0]?.[1]).toBe(error);
  });

  test('gets no error line when the client has left', () => {
    const { status } = responseTo(error, { hasBegun: true, isAborted: true });

    expect(status).toBe(0);
    expect(logged).not.toHaveBeenCalled();
  });
});

describe('a retryable problem', () => {
  test.each([
    PoolExhaustedError,
    DatabaseBusyError,
    DatabaseUnavailableError,
    CommitOutcomeUnknownError,
  ])('%p gets 503 with Retry-After', (Unavailable) => {
    const error = new Unavailable('later');

    const { status, headers } = responseTo(error);

    expect(error.retryable).toBe(true);
    expect(status).toBe(503);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });
});
