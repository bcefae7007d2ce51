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

/** What has become of an interview and of an invitation, as their lists write it too: an index holds one expression. */
const INTERVIEW_RESULT = `(case
  when status in ('withdrawn', 'declined') then 'withdrawn'
  when status <> 'completed' then status
  when is_decided then 'decided' when is_scored then 'scored' else 'finished' end)`;
const INVITATION_RESULT = `(case
  when revoked_at is not null then 'revoked' when is_opened then 'opened' else 'unopened' end)`;

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
  {
    // What a list says of an interview or an invitation and other tables know (functions/note_listed_facts.sql).
    name: 'ListedFacts1764000000410',
    statements: [
      `alter table conversation add column is_scored bool not null default false,
         add column is_decided bool not null default false`,
      `alter table invitation add column is_opened bool not null default false`,
      sqlFile('functions/note_listed_facts.sql'),
      `create trigger score_run_noted after insert or update of state or delete on score_run
         for each row execute function note_scored()`,
      `create trigger decision_noted after insert or delete on decision
         for each row execute function note_decided()`,
      `create trigger conversation_noted before insert or update of candidate_id on conversation
         for each row execute function note_interview()`,
      `create trigger invitation_noted before insert on invitation
         for each row execute function note_invitation()`,
    ],
  },
  {
    // Of the rows of before. It locks those rows alone, and the triggers know all others already.
    name: 'ListedFactsOfBefore1764000000420',
    statements: [
      `update conversation c set is_scored = f.is_scored, is_decided = f.is_decided
       from (select id,
           exists (select from score_run r where r.conversation_id = o.id and r.state = 'done') as is_scored,
           exists (select from decision d where d.candidate_id = o.candidate_id) as is_decided
         from conversation o) f
       where f.id = c.id and (f.is_scored or f.is_decided)`,
      `update invitation i set is_opened = true where exists (select from conversation c
         where c.candidate_id = i.candidate_id and c.vacancy_id = i.vacancy_id)`,
    ],
  },
  {
    // They take the place of those by status. Each takes about a second for 100,000 rows.
    name: 'ListsByResult1764000000430',
    statements: [
      `create index conversation_result on conversation (${INTERVIEW_RESULT}, id)`,
      `create index conversation_vacancy_result on conversation (vacancy_id, ${INTERVIEW_RESULT}, id)`,
      `create index invitation_result on invitation (${INVITATION_RESULT}, id)`,
      `create index invitation_vacancy_result on invitation (vacancy_id, ${INVITATION_RESULT}, id)`,
      `create index invitation_unopened on invitation (expires_at)
         where revoked_at is null and not is_opened`,
      // conversation_vacancy_status stays: interviews are counted in it alone.
      `drop index conversation_status`,
    ],
  },
  {
    name: 'TeamPages1764000000440',
    statements: [
      // The views of the list of interviews that a colleague has saved (src/access/users).
      //   query: of the list's address, without its question mark
      `create table saved_view (
         user_id uuid not null references app_user(id) on delete cascade,
         id uuid not null,
         name text not null,
         query text not null,
         created_at timestamptz not null,
         constraint saved_view_pkey primary key (user_id, id)
       )`,
      // Status and owner that a closed interview had, so that it can be opened again (src/interview/closing.ts).
      `create table interview_closing (
         conversation_id uuid primary key references conversation(id) on delete cascade,
         status text not null,
         owner text not null,
         closed_at timestamptz not null
       )`,
    ],
  },
  {
    // Who has an item of the attention list, or an interview, so that no second person takes it (src/attention).
    name: 'AttentionClaims1764000000450',
    statements: [
      //   subject: item:<id>, or conversation:<id> for all items about an interview
      //   held_by: as the audit names it, such as `user Ada Lovelace`
      //   used_at: the last act of the holder; a claim ends some minutes later
      `create table attention_claim (
         subject text primary key,
         item_id bigint references attention(id) on delete cascade,
         conversation_id uuid references conversation(id) on delete cascade,
         held_by text not null,
         claimed_at timestamptz not null,
         used_at timestamptz not null,
         constraint attention_claim_of_one check ((item_id is null) <> (conversation_id is null))
       )`,
      `create index attention_claim_item on attention_claim (item_id) where item_id is not null`,
      `create index attention_claim_conversation on attention_claim (conversation_id)
         where conversation_id is not null`,
    ],
  },
  {
    // What users say to each other about an interview (src/scoring).
    name: 'Comments1764000000460',
    statements: [
      //   question_id: null: about the whole interview
      //   author: the user's name, which nobody else ever has
      `create table interview_comment (
         id uuid primary key,
         conversation_id uuid not null references conversation(id) on delete cascade,
         question_id text,
         user_id uuid not null references app_user(id),
         author text not null,
         text text not null,
         created_at timestamptz not null,
         edited_at timestamptz
       )`,
      `create index interview_comment_conversation on interview_comment (conversation_id, id)`,
    ],
  },
  {
    name: 'VacancyVersions1764000000470',
    statements: [
      // Versions of the files of vacancies, the newest 200 of each (src/vacancies). A file that returns to what it was
      // has the same version again.
      //   version: as the ETag of the file
      //   made_at, made_by: null: it was there before versions were kept
      `create table vacancy_version (
         id bigint generated always as identity primary key,
         vacancy_id uuid not null references vacancy(id) on delete cascade,
         version text not null,
         file text not null,
         made_at timestamptz,
         made_by text
       )`,
      `create index vacancy_version_vacancy on vacancy_version (vacancy_id, id)`,
      // The interview is a colleague's, who looks at the page as a candidate: it is listed and counted nowhere.
      `alter table conversation add column is_preview bool not null default false`,
      `create index conversation_preview on conversation (vacancy_id, status) where is_preview`,
    ],
  },
  {
    // The audit is shown with what its rows are about, which they name by a hash: found by that hash. Each takes about
    // a second for 100,000 rows.
    name: 'AuditSubjects1764000000480',
    statements: [
      `create index candidate_subject on candidate (encode(sha256(id::text::bytea), 'hex'))`,
      `create index conversation_subject on conversation (encode(sha256(id::text::bytea), 'hex'))`,
    ],
  },
  {
    // Each index takes about a second for 100,000 live jobs.
    name: 'ChecksOfJobs1764000000500',
    statements: [
      // check_at: a claim looks at a live row from then on; never later than due_at. Only this column is in the
      // indexes of claims: what makes a job due later, as each message does, writes none (HOT). A row of a version
      // that does not know the column has the default, and is looked at first, and once before it is due.
      `alter table job add column check_at timestamptz not null default '-infinity'`,
      `create index job_check on job (queue, check_at) where state in ('open', 'retry')`,
      `drop index job_due`,
      `alter index job_check rename to job_due`,
      `create index job_check on job (queue, check_at) where state = 'running'`,
      `drop index job_lease`,
      `alter index job_check rename to job_lease`,
      `update job set check_at = due_at
         where state in ('open', 'running', 'retry') and due_at is not null`,
      sqlFile('functions/check_job_earlier.sql'),
      `create trigger job_due_earlier after update of due_at on job
         for each row when (new.due_at < new.check_at) execute function check_job_earlier()`,
    ],
    functions: ['buffer_long_answer'],
  },
  {
    // Looks that must not take longer the more rows there are. Each index takes about a second for 100,000 rows.
    name: 'LooksOfSweeps1764000000510',
    statements: [
      // An answer expires within minutes of its time, so the look for such answers reads those that died lately.
      `create index job_dead_ended on job (queue, ended_at) where state = 'dead'`,
      `drop index job_dead`,
      `alter index job_dead_ended rename to job_dead`,
      // An erasure finds keys by their beginnings.
      `create index job_key_of_queue on job (queue, key text_pattern_ops, id)
         where state in ('open', 'running', 'retry')`,
      `drop index job_key`,
      `alter index job_key_of_queue rename to job_key`,
      // Whether the candidate has agreed to any interview (functions/note_agreed.sql): who has not is deleted soon.
      `alter table candidate add column has_agreed bool not null default false`,
      `update candidate c set has_agreed = true where exists (
         select from conversation where candidate_id = c.id and consent_accepted)`,
      `create index candidate_not_agreed on candidate (created_at) where not has_agreed`,
      sqlFile('functions/note_agreed.sql'),
      `create trigger conversation_begun_agreed after insert on conversation
         for each row when (new.consent_accepted) execute function note_agreed()`,
      `create trigger conversation_agreed
         after update of consent_accepted, candidate_id on conversation for each row
         when (new.consent_accepted is distinct from old.consent_accepted
           or new.candidate_id <> old.candidate_id)
         execute function note_agreed()`,
    ],
  },
  {
    // The position in the plan that a closed interview had; null: a version before has closed it.
    name: 'ClosedStates1764000000520',
    statements: [`alter table interview_closing add column state jsonb`],
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
