import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which account of a channel has taken part in which interview, and how wrong PINs are limited. */
export class AccountConversations1764000000018 implements MigrationInterface {
  readonly name = 'AccountConversations1764000000018';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Somebody on a channel, like 'telegram:12345'. What a channel stores of them goes with it.
    await queryRunner.query(`
      create table account (
        name text primary key,
        created_at timestamptz not null
      )`);
    await queryRunner.query(`
      create table account_conversation (
        account text not null references account (name) on delete cascade,
        conversation_id uuid not null references conversation (id) on delete cascade,
        origin text not null check (origin in ('begun', 'claimed')),
        agreed_at timestamptz,
        created_at timestamptz not null,
        primary key (account, conversation_id)
      )`);
    await queryRunner.query(
      `create index account_conversation_conversation on account_conversation (conversation_id)`,
    );
    // The account's person has agreed to the disclosure of the interview that the account is in.
    await queryRunner.query(`
      alter table telegram_account
        add column has_agreed boolean not null default false,
        add column account text references account (name) on delete cascade,
        add column pin_locks int not null default 0`);
    await queryRunner.query(`
      update telegram_account a set has_agreed = true
      from conversation c where c.id = a.conversation_id and c.consent_accepted`);
    // A person who is in several interviews stays when one of them is erased.
    await queryRunner.query(`
      alter table telegram_account drop constraint telegram_account_conversation_id_fkey,
        add constraint telegram_account_conversation_id_fkey
          foreign key (conversation_id) references conversation (id) on delete set null`);
    await queryRunner.query(
      `create unique index telegram_account_account on telegram_account (account)`,
    );
    // Before this table, only deliveries, invitations and the accounts themselves knew the pairs.
    await queryRunner.query(`
      create temporary table known on commit drop as
      select known.account, c.id as conversation_id, c.metadata->>'identifiedBy' as identified_by,
        case when c.consent_accepted then c.consent_at end as agreed_at, c.created_at
      from (
        select 'telegram:' || user_id as account, conversation_id from telegram_account
        where conversation_id is not null
        union
        select 'telegram:' || chat, conversation_id from delivery where channel = 'telegram'
        union
        select i.bound_to, c.id from invitation i
        join conversation c on c.candidate_id = i.candidate_id and c.vacancy_id = i.vacancy_id
        where i.bound_to is not null
      ) known join conversation c on c.id = known.conversation_id`);
    await queryRunner.query(`
      insert into account (name, created_at) select account, min(created_at) from known group by 1`);
    await queryRunner.query(`
      insert into account_conversation (account, conversation_id, origin, agreed_at, created_at)
      select account, conversation_id,
        case when identified_by = 'continuation' then 'claimed' else 'begun' end,
        agreed_at, created_at from known`);
    await queryRunner.query(`
      update telegram_account set account = 'telegram:' || user_id
      where 'telegram:' || user_id in (select name from account)`);
    await this.createLimits(queryRunner);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }

  private async createLimits(queryRunner: QueryRunner): Promise<void> {
    // What an account has opened, and what is released when its person asks to be forgotten.
    await queryRunner.query(
      `create index invitation_bound on invitation (bound_to) where bound_to is not null`,
    );
    await queryRunner.query(`
      create table pin_budget (
        id boolean primary key default true check (id),
        began_at timestamptz not null,
        wrong int not null
      )`);
  }
}
