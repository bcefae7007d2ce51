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

  test.each<[string, (n: number) => string]>([
    ['one /64 of IPv6', (n) => `2001:db8:0:7::${(n + 1).toString(16)}`],
    ['one /64, written in full', (n) => `2001:0db8:0000:0007:0:0:0:${(n + 1).toString(16)}`],
    [
      'one IPv4 address, also inside of IPv6',
      (n) => ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '64:ff9b::c000:201'][n % 4] ?? '',
    ],
    ['one link-local network with zones', (n) => `fe80::${(n + 1).toString(16)}%eth${String(n)}`],
    ['one 6to4 host', (n) => `2002:c000:201:${n.toString(16)}::1`],
  ])('of %s are counted together, and lock out nobody else', (_, address) => {
    const codes = fail(150, address);

    expect(codes.filter((code) => code === 'admin_token_wrong')).toHaveLength(10);
    expect([isAllowed(address(0)), isAllowed(address(149))]).toEqual([false, false]);
    expect([isAllowed('2001:db8:0:8::1'), isAllowed('203.0.113.9')]).toEqual([true, true]);
  });

  test('of one /48 of IPv6 lock out no other site', () => {
    fail(1000, (n) => `2001:db8:5:${n.toString(16)}::1`);

    expect(isAllowed('2001:db8:5:ffff::1')).toBe(false);
    expect([isAllowed('2001:db8:6::1'), isAllowed('203.0.113.9')]).toEqual([true, true]);
  });

  test('do not block a caller whose network has shown the right secret from another address', () => {
    attempts.succeeded('admin API', '2001:db8:0:9::1');
    fail(120, (n) => `192.0.2.${String(n)}`);

    expect(isAllowed('2001:db8:0:9:aaaa:bbbb:cccc:dddd')).toBe(true);
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
