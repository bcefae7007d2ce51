import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/** A change of the schema since the baseline. It is never edited: a later one corrects it. */
interface Change {
  /** As it is stored in the database. Its last 13 digits are its place among all changes. */
  readonly name: string;
  /** Statements before the files. */
  readonly statements?: readonly string[];
  /** A file of sql/changes. */
  readonly file?: string;
  /** Functions of sql/functions that are defined anew, each after those that it calls. */
  readonly functions?: readonly string[];
}

const CHANGES: readonly Change[] = [
  // Where the question of the plan begins in what the interviewer said, in UTF-16 units. The question's
  // id is in `question_context`, as it is for the candidate's answers. Earlier lines have no mark.
  {
    name: 'QuestionOfMessage1764000000050',
    statements: ['alter table message add column question_at int'],
  },
  // Accent colours and logos of vacancies.
  { name: 'VacancyBrand1764000000051', file: '0003-vacancy-brand' },
  // Legal holds of candidates.
  { name: 'LegalHold1764000000052', file: '0004-legal-hold' },
  // What each message is, objections to automated processing, and the prompt of each reply.
  { name: 'MessageLabels1764000000053', file: '0005-message-labels' },
  // The quiet time of each candidate, and the last answer whose candidate was told that it is being read.
  {
    name: 'AnswerPace1764000000054',
    file: '0006-answer-pace',
    functions: ['answer_pace', 'buffer_long_answer', 'buffer_append', 'buffer_activity'],
  },
  // Rubrics, scores with their samples, decisions, and the chain of decision files.
  { name: 'Scoring1764000000055', file: '0007-scoring' },
  // The quiet time and the pauses as expressions, because each append computes them. Only a database of
  // the change before has `add_gap`.
  {
    name: 'AnswerPaceInlined1764000000056',
    functions: ['answer_pace', 'buffer_append', 'buffer_activity'],
    statements: [
      'drop function if exists add_gap(int, double precision, double precision, double precision)',
    ],
  },
  // The candidate's time zone, and the status of an interview that ended by silence.
  { name: 'Reminders1764000000057', file: '0009-reminders' },
  // People's ratings, certifications of rubrics, and results of the fairness runs.
  { name: 'Certification1764000000058', file: '0010-certification' },
  // The trace of a job.
  {
    name: 'Traces1764000000059',
    file: '0011-traces',
    functions: ['buffer_append', 'buffer_join'],
  },
  // What a model was asked for each reply and what it wrote, so that it can be asked again.
  { name: 'ReplyRequests1764000000060', file: '0012-reply-requests' },
  // The texts of the prompts that scores were asked with.
  { name: 'ScoringPrompts1764000000061', file: '0013-scoring-prompts' },
  // The hourly retention finds old candidates and old recordings without reading all messages.
  { name: 'RetentionIndexes1764000000062', file: '0014-retention-indexes' },
  // A file says that its bytes were deleted when their retention time was over.
  { name: 'DeletedFiles1764000000063', file: '0015-deleted-files' },
  // A message that is stored already, or refused, updates nothing. A replica of the version before this one
  // responds to the same message twice at once with an error, after which clients send it again.
  { name: 'AppendWithoutUndo1764000000064', functions: ['buffer_append'] },
  // Cheaper checks of the tables that every message writes.
  { name: 'ShorterChecks1764000000065', file: '0017-shorter-checks' },
  { name: 'ValidChecks1764000000066', file: '0018-valid-checks' },
  // The formula of due times gets the name of its owner, the debounce of jobs.
  {
    name: 'DebounceDueAt1764000000067',
    functions: [
      'debounce_due_at',
      'buffer_due_at',
      'buffer_append',
      'buffer_join',
      'buffer_activity',
    ],
  },
  // Until when a query of Notion may not show the page that a create made, and the data source that a walk
  // reads. Replicas of the version before write neither.
  {
    name: 'NotionCreatesAndWalks1764000000068',
    statements: [
      'alter table notion_review add column unseen_until timestamptz',
      'alter table notion_sweep add column walk_source text',
    ],
  },
  // The quiet time is learned when an answer is claimed, and no longer by each message
  // (buffer_quiet_time.sql):
  //   paced_seq: the last message that was learned from
  //   quiet_ms: the learned quiet time after a message that looks complete, unclear or unfinished, before
  //     its bounds are applied; it holds on quiet_channel only; null until enough is known there
  //   typed_at: when the candidate began to type after this message; null: not known
  // `gap_since` and `gap_step` are not used any more. A later version drops them, because replicas of the
  // version before still write the first.
  {
    name: 'QuietTimeAtClaim1764000000069',
    statements: [
      `alter table conversation
         add column paced_seq int, add column quiet_ms float8[], add column quiet_channel text`,
      'alter table message add column typed_at timestamptz',
      // The version before has learned from each message as it came.
      `update conversation c
       set paced_seq = (select max(m.seq) from message m
         where m.conversation_id = c.id and m.role = 'user' and m.amends is null)
       where c.paced_messages > 0`,
      `drop function if exists
         quiet_window_ms(float8, int, int, float8, float8, float8, int, float8, float8)`,
    ],
    functions: ['answer_pace', 'buffer_quiet_time', 'buffer_append', 'buffer_activity'],
  },
  // How often a page was not found when it was to be removed. Replicas of the version before count in
  // `looks` instead; a later version drops that column. A search that is counted twice does no harm.
  {
    name: 'FailedSearches1764000000070',
    statements: ['alter table notion_review add column failed_searches int not null default 0'],
  },
  // Whether a message came before the reply to an earlier answer is decided when its turn opens, and no
  // longer by each message (buffer_before_reply.sql). Until its turn opens it is true. Replicas of the
  // version before read it as it is; they also compare the times, so they reply as before. Only the
  // statistics and exports count the messages of turns that they open during an update as additions.
  {
    name: 'BeforeReplyAtOpening1764000000071',
    functions: ['buffer_before_reply', 'buffer_append'],
  },
  // The same values as before are refused, at less cost for each message. Two changes, so that neither
  // locks both tables.
  { name: 'ConversationTriggers1764000000072', file: '0019-conversation-triggers' },
  {
    name: 'JobTrigger1764000000073',
    statements: [
      'alter table job drop constraint job_state_check',
      `create trigger job_state_check after insert or update of state on job
         for each row when (new.state <> all ('{open,running,retry,done,dead}'))
         execute function refuse_value('state')`,
    ],
  },
  // The subject of the item under which this one is listed while that one is open. Replicas of the version
  // before set none and list every item by itself.
  {
    name: 'ItemsUnderOthers1764000000074',
    statements: [
      'alter table attention add column under text',
      `create index attention_under on attention (under, id)
         where closed_at is null and under is not null`,
    ],
  },
  // Whether the second model was asked; replicas of the version before ask the first one only. The outcomes
  // of the last minutes are read every few seconds; `sent_at` is never updated, so updates of a row stay
  // within its page.
  {
    name: 'RecentAttempts1764000000075',
    statements: [
      'alter table llm_attempt add column is_fallback bool not null default false',
      'create index llm_attempt_sent on llm_attempt (sent_at)',
    ],
  },
  // Which messages were written under the consent in force, by their numbers instead of by time.
  { name: 'ConsentSeq1764000000076', file: '0076-consent-seq' },
  // The same for consents of before, of which only the times say what came before them. By itself,
  // because it reads all messages and locks no table.
  {
    name: 'KnownConsents1764000000077',
    statements: [
      `update conversation c
       set consent_seq = (select coalesce(max(m.seq), 0) from message m
         where m.conversation_id = c.id and m.role = 'user' and m.received_at < c.consent_at)
       where c.consent_at is not null and c.consent_seq is null`,
    ],
  },
  // What open links were used for. Replicas of the version before do not count.
  { name: 'OpenLinkUse1764000000078', file: '0078-open-link-use' },
  // Replicas of the version before do not read it: until they are replaced they begin interviews in a
  // vacancy that was closed meanwhile.
  {
    name: 'ClosedVacancies1764000000079',
    statements: ['alter table vacancy add column closed_at timestamptz'],
  },
  // Replicas of the version before do not look and store false.
  {
    name: 'LockedFiles1764000000081',
    statements: ['alter table file add column needs_password bool not null default false'],
  },
  // The notices of a vacancy (interview/texts/notices.ts), and what is known of the letter about a decision.
  // Replicas of the version before show no notice, and do not rate who agreed to one: switch notices on when
  // they are replaced. They record each decision as adverse, which at worst reminds of a letter too many.
  { name: 'NoticesAndLetters1764000000082', file: '0082-notices-and-letters' },
];

/** The changes in order, as classes, because TypeORM makes the migrations itself. */
export const CHANGE_MIGRATIONS = CHANGES.map(
  ({ name, statements = [], file, functions = [] }) =>
    class implements MigrationInterface {
      readonly name = name;

      async up(queryRunner: QueryRunner): Promise<void> {
        for (const statement of statements) await queryRunner.query(statement);
        if (file !== undefined) await queryRunner.query(sqlFile(`changes/${file}.sql`));
        for (const of of functions) await queryRunner.query(sqlFile(`functions/${of}.sql`));
      }

      down(): Promise<void> {
        return Promise.reject(new Error('migrations go forward only'));
      }
    },
);
