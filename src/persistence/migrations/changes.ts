import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/**
 * A change of the schema since the baseline. It is never edited: a later one corrects it. Replicas of the
 * version before go on working on the changed schema until they are replaced (docs/upgrade.md).
 */
interface Change {
  /** As it is stored in the database. Its last 13 digits are its place among all changes. */
  readonly name: string;
  readonly statements?: readonly string[];
  /** Functions of sql/functions that are defined anew after the statements, each after those it calls. */
  readonly functions?: readonly string[];
}

const CHANGES: readonly Change[] = [
  {
    // The questions that a message after the end belongs to; none: an aside.
    name: 'LateMessages1764000000120',
    statements: [
      `create table late_message (
        message_id uuid primary key references message(id) on delete cascade,
        question_ids text[] not null,
        placed_at timestamptz not null
      )`,
    ],
  },
  {
    name: 'ApiKeys1764000000200',
    statements: [
      // Keys for programs (src/access). vacancy_ids: null for all vacancies. used_at: the last use, written seldom.
      `create table api_key (
        id uuid primary key,
        name text not null unique,
        token_hash text not null unique,
        scopes text[] not null,
        vacancy_ids uuid[],
        created_at timestamptz not null,
        created_by text not null,
        expires_at timestamptz not null,
        used_at timestamptz,
        revoked_at timestamptz
      )`,
      // The audit is listed by who did it. So far it has a row for each read by a person, so this is quick.
      `create index audit_event_actor on audit_event (actor, id)`,
    ],
  },
  {
    name: 'InvitationImports1764000000210',
    statements: [
      // A constant default writes no row of a table that may be large.
      `alter table invitation add column external_id text,
         add column metadata jsonb not null default '{}'`,
      `create unique index invitation_external on invitation (vacancy_id, external_id)
         where external_id is not null and revoked_at is null`,
      // A file of invitations that is worked off by jobs (src/invitations).
      //   sealing_key: seals the links of its rows; only the caller has the other half
      //   settled_to: every row up to this number has its fate
      `create table invitation_import (
         id uuid primary key,
         vacancy_id uuid not null references vacancy(id) on delete cascade,
         row_count int not null,
         created int not null default 0,
         refused int not null default 0,
         settled_to int not null default 0,
         sealing_key bytea not null,
         created_at timestamptz not null,
         finished_at timestamptz
       )`,
      `create index invitation_import_created on invitation_import (created_at)`,
      // Its rows. Exactly one of the last three is set.
      //   given: what the file says, until the row is stored
      //   links: link and PIN, sealed
      `create table invitation_import_row (
         import_id uuid not null references invitation_import(id) on delete cascade,
         n int not null,
         line int,
         external_id text,
         candidate_id uuid references candidate(id) on delete cascade,
         links bytea,
         given jsonb,
         problems jsonb,
         invitation_id uuid,
         constraint invitation_import_row_pkey primary key (import_id, n)
       )`,
      `create index invitation_import_row_candidate on invitation_import_row (candidate_id)
         where candidate_id is not null`,
      // POST requests with an Idempotency-Key, for a day (src/common/idempotency).
      //   key_hash: of caller, address and key
      //   response: encrypted with the token and the key, which are not stored; null: the request runs
      //   claim: of the request that runs, until claimed_until
      `create table idempotent_request (
         key_hash text primary key,
         body_hash text not null,
         claim uuid not null,
         claimed_until timestamptz not null,
         response bytea,
         created_at timestamptz not null
       )`,
      `create index idempotent_request_created on idempotent_request (created_at)`,
    ],
  },
  {
    // Lists of interviews and of invitations for programs. Each takes about a second for 100,000 rows.
    name: 'Lists1764000000220',
    statements: [
      `create index conversation_vacancy on conversation (vacancy_id, id)`,
      `create index conversation_status on conversation (status, id)`,
      `create index conversation_vacancy_status on conversation (vacancy_id, status, id)`,
      `create index conversation_with_person on conversation (id) where owner <> 'model'`,
      `create index candidate_name on candidate
         using gin (to_tsvector('simple'::regconfig, translate(coalesce(name, ''), 'ёЁ', 'еЕ')))`,
      `create index invitation_vacancy on invitation (vacancy_id, id)`,
      `create index invitation_external_any on invitation (external_id) where external_id is not null`,
    ],
  },
  {
    // Colleagues, their sessions in the browser, and the links by which they join (src/access/users).
    name: 'People1764000000230',
    statements: [
      // A row stays for ever, because the audit names the person: no other one gets the name.
      //   vacancy_ids: null for all vacancies
      //   password_hash: null for somebody who signs in elsewhere, at the issuer under the subject
      `create table app_user (
         id uuid primary key,
         name text not null,
         email text,
         role text not null,
         vacancy_ids uuid[],
         password_hash text,
         issuer text,
         subject text,
         created_at timestamptz not null,
         created_by text not null,
         signed_in_at timestamptz,
         disabled_at timestamptz,
         constraint app_user_identity_whole check ((issuer is null) = (subject is null))
       )`,
      `create unique index app_user_name on app_user (lower(name))`,
      `create unique index app_user_email on app_user (email) where email is not null`,
      `create unique index app_user_identity on app_user (issuer, subject) where issuer is not null`,
      // A sweep deletes expired ones in batches.
      //   seen_at: last use, written seldom
      //   confirmed_at: when the person last showed the password; null: not in this session
      //   device: what the browser says about itself, in a few words
      `create table user_session (
         id uuid primary key,
         token_hash text not null unique,
         user_id uuid not null references app_user(id) on delete cascade,
         method text not null,
         created_at timestamptz not null,
         seen_at timestamptz not null,
         confirmed_at timestamptz,
         device text not null
       )`,
      `create index user_session_user on user_session (user_id)`,
      `create index user_session_created on user_session (created_at)`,
      `create index user_session_seen on user_session (seen_at)`,
      // One-time links: an invitation, or a new password for a user. A sweep deletes ended ones.
      //   name to vacancy_ids: of an invitation; name and email may be chosen by whoever uses it
      `create table user_link (
         id uuid primary key,
         token_hash text not null unique,
         kind text not null,
         user_id uuid references app_user(id) on delete cascade,
         name text,
         email text,
         role text,
         vacancy_ids uuid[],
         created_at timestamptz not null,
         created_by text not null,
         expires_at timestamptz not null,
         used_at timestamptz,
         revoked_at timestamptz
       )`,
      `create index user_link_user on user_link (user_id) where user_id is not null`,
    ],
  },
  {
    // The audit is shown with what its rows are about, which they name by a hash: found by that hash. Each takes about
    // a second for 100,000 rows.
    name: 'AuditSubjects1764000000300',
    statements: [
      `create index candidate_subject on candidate (encode(sha256(id::text::bytea), 'hex'))`,
      `create index conversation_subject on conversation (encode(sha256(id::text::bytea), 'hex'))`,
    ],
  },
  {
    // Users rate and decide (src/scoring).
    name: 'UsersRateAndDecide1764000000400',
    statements: [
      // user_id: who rated; null: a name that was typed on the command line
      // mark: null: the interview did not ask about the criterion
      // fixed_at: since when it is not changed any more, because others' ratings were shown to the rater. At once
      //   for the command line, which shows them to whoever types the name, and for all that is there.
      `alter table person_rating alter column mark drop not null, add column note text,
         add column user_id uuid references app_user(id), add column fixed_at timestamptz default now()`,
      `update person_rating set fixed_at = rated_at`,
      // disclosed_to: users who got a file with what others gave it, and who therefore rate it no more
      `alter table rating_item add column disclosed_to uuid[] not null default '{}'`,
      // user_id: who decided; null: a name that was typed on the command line
      `alter table decision add column user_id uuid references app_user(id)`,
    ],
  },
];

/** The changes in order, as classes, because TypeORM makes the migrations itself. */
export const CHANGE_MIGRATIONS = CHANGES.map(
  ({ name, statements = [], functions = [] }) =>
    class implements MigrationInterface {
      readonly name = name;

      async up(queryRunner: QueryRunner): Promise<void> {
        for (const statement of statements) await queryRunner.query(statement);
        for (const of of functions) await queryRunner.query(sqlFile(`functions/${of}.sql`));
      }

      down(): Promise<void> {
        return Promise.reject(new Error('migrations go forward only'));
      }
    },
);
