import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Wrong PINs are counted beside the account, so that an erasure does not end a lock. */
export class PinLimits1764000000030 implements MigrationInterface {
  readonly name = 'PinLimits1764000000030';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [FAILURES, MOVE, DROP, BUDGET]) await queryRunner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/**
 * account_hash: of the Telegram id with a secret of the deployment; tries: all wrong PINs;
 * failures: those since the last lock.
 */
const FAILURES = `
create table pin_failure (
  account_hash text primary key,
  tries int not null,
  failures int not null,
  locks int not null,
  locked_until timestamptz,
  last_at timestamptz not null
);
create index pin_failure_last on pin_failure (last_at);
`;

/** Whoever has failed has a salt: a PIN was hashed. */
const MOVE = `
insert into pin_failure (account_hash, tries, failures, locks, locked_until, last_at)
select encode(sha256(convert_to(s.value || ':telegram:' || a.user_id::text, 'UTF8')), 'hex'),
  a.pin_failures + 5 * a.pin_locks, a.pin_failures, a.pin_locks, a.pin_locked_until, now()
from telegram_account a join deployment_secret s on s.name = 'pin_salt'
where a.pin_failures > 0 or a.pin_locks > 0;
`;

const DROP = `
alter table telegram_account
  drop column pin_failures, drop column pin_locks, drop column pin_locked_until;
`;

/** wrong_first: wrong PINs that were among the first tries of their accounts. */
const BUDGET = `alter table pin_budget add wrong_first int not null default 0;`;
