import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the Telegram channel keeps: who writes, what came in, and what is still to be answered. */
export class Telegram1764000000007 implements MigrationInterface {
  readonly name = 'Telegram1764000000007';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table telegram_account (
        user_id bigint primary key,
        conversation_id uuid references conversation (id) on delete cascade,
        language text not null check (language in ('ru', 'en')),
        dialog jsonb not null default '{"kind": "none"}',
        pin_failures int not null default 0,
        pin_locked_until timestamptz,
        paused_at timestamptz,
        blocked_at timestamptz,
        created_at timestamptz not null default clock_timestamp()
      )`);
    await queryRunner.query(
      `create index telegram_account_conversation on telegram_account (conversation_id)`,
    );
    await queryRunner.query(`
      create table telegram_update (
        bot_id bigint not null,
        update_id bigint not null,
        chat_id bigint not null,
        account_id bigint references telegram_account (user_id) on delete cascade,
        message_id bigint,
        state text not null check (state in ('handled', 'waiting', 'dead')),
        payload jsonb,
        received_at timestamptz not null,
        primary key (bot_id, update_id),
        check ((payload is null) = (state = 'handled'))
      ) with (autovacuum_vacuum_scale_factor = 0.02)`);
    await queryRunner.query(`
      create index telegram_update_waiting on telegram_update (chat_id, message_id, update_id)
      where state = 'waiting'`);
    // What is stored of a person goes with their account, and that with their interview.
    await queryRunner.query(`create index telegram_update_account on telegram_update (account_id)`);
    await queryRunner.query(`create index telegram_update_age on telegram_update (received_at)`);
    await queryRunner.query(`
      create table telegram_answer (
        id bigint generated always as identity primary key,
        chat_id bigint not null,
        account_id bigint references telegram_account (user_id) on delete cascade,
        call jsonb not null,
        tries int not null default 0,
        created_at timestamptz not null
      )`);
    await queryRunner.query(`create index telegram_answer_account on telegram_answer (account_id)`);
    await queryRunner.query(`create index telegram_answer_chat on telegram_answer (chat_id, id)`);
    // Which replica asks Telegram for updates, and until when.
    await queryRunner.query(`
      create table telegram_poller (
        bot_id bigint primary key,
        holder text not null,
        held_until timestamptz not null
      )`);
    // Where the candidate wrote last: what nobody asked for is said there.
    await queryRunner.query(`
      alter table conversation add column channel text not null default 'web'
        check (channel in ('web', 'telegram'))`);
    // What came with a message or instead of its text: a photo, a document, a place.
    await queryRunner.query(`alter table message add column attachment jsonb`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
