import { Logger } from '@nestjs/common';
import { FailedAttempts, ProblemError } from '../../../src/common/http';
import { FakeClock } from '../../../tools/support/fake-clock';
import { KeptLog } from '../../support/kept-log';

const WRONG = new ProblemError(401, 'admin_token_wrong', 'wrong');

describe('wrong secrets', () => {
  let clock: FakeClock;
  let attempts: FailedAttempts;
  let log: KeptLog;

  beforeEach(() => {
    clock = new FakeClock();
    log = new KeptLog();
    Logger.overrideLogger(log);
    attempts = new FailedAttempts(clock);
  });

  afterEach(() => {
    Logger.overrideLogger(false);
  });

  /** The codes of so many failures. */
  function fail(times: number, address: (n: number) => string): string[] {
    return Array.from(
      { length: times },
      (_, n) => attempts.failed('admin API', address(n), WRONG).code,
    );
  }

  function isAllowed(address: string): boolean {
    try {
      attempts.assertAllowed('admin API', address);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ status: 429, code: 'too_many_attempts', retryAfterS: 60 });
      return false;
    }
  }

  test('of one address are refused after ten in a minute, and others are not', () => {
    const codes = fail(12, () => '192.0.2.1');

    expect(codes.slice(9)).toEqual(['admin_token_wrong', 'too_many_attempts', 'too_many_attempts']);
    expect([isAllowed('192.0.2.1'), isAllowed('192.0.2.2')]).toEqual([false, true]);
    clock.advance(60_000);
    expect(isAllowed('192.0.2.1')).toBe(true);
  });

  test('of many addresses are refused after a hundred in a minute', () => {
    const codes = fail(120, (n) => `192.0.2.${String(n)}`);

    expect(codes.filter((code) => code === 'admin_token_wrong')).toHaveLength(100);
    expect(isAllowed('203.0.113.1')).toBe(false);
  });

  test('block neither a caller with an earlier right secret, nor the use of another secret', () => {
    attempts.succeeded('admin API', '203.0.113.1');

    fail(120, (n) => `192.0.2.${String(n % 30)}`);

    expect([isAllowed('203.0.113.1'), isAllowed('203.0.113.2')]).toEqual([true, false]);
    expect(attempts.failed('Telegram webhook', '192.0.2.1', WRONG)).toBe(WRONG);
  });

  test('are logged at most twice a minute, with the address and without the secret', () => {
    fail(500, (n) => `192.0.2.${String(n % 200)}`);
    clock.advance(60_000);
    fail(3, () => '192.0.2.7');

    expect(log.lines).toEqual([
      'admin API: a wrong secret was shown from 192.0.2.0; check who calls it, and its secret. [Security]',
      'admin API: a wrong secret was shown 100 times in a minute; check who calls it, and its secret. [Security]',
      'admin API: a wrong secret was shown from 192.0.2.7; check who calls it, and its secret. [Security]',
    ]);
  });
});
