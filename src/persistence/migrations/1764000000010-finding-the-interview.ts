import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How a candidate finds their interview, and takes it to another channel. */
export class FindingTheInterview1764000000010 implements MigrationInterface {
  readonly name = 'FindingTheInterview1764000000010';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table deployment_secret (
        name text primary key,
        value text not null,
        created_at timestamptz not null default clock_timestamp()
      )`);
    // The key of a PIN cannot be made from its old hash: such an invitation keeps its link, and
    // gets a PIN when it is issued again.
    await queryRunner.query(`
      alter table invitation
        drop column pin_hash,
        add column pin_key text,
        add column bound_to text`);
    await queryRunner.query(
      `create unique index invitation_pin on invitation (pin_key) where revoked_at is null`,
    );
    await queryRunner.query(`
      create index candidate_telegram on candidate (lower(telegram_username))
        where telegram_username is not null`);
    await queryRunner.query(`
      create table continuation (
        token_hash text primary key,
        conversation_id uuid not null references conversation on delete cascade,
        channel text not null check (channel in ('web', 'telegram')),
        expires_at timestamptz not null,
        used_at timestamptz,
        created_at timestamptz not null default clock_timestamp()
      )`);
    await queryRunner.query(
      `create index continuation_conversation on continuation (conversation_id)`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
