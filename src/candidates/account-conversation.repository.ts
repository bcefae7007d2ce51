import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';

/**
 * Every pair of an account (`telegram:12345`) and a conversation, also after the account has moved to
 * another interview or the interview to another account. The export and the erasure of a person's
 * data use it. SQL, because its conditions compare times with the database's clock and its inserts
 * are upserts.
 */
@Injectable()
export class AccountConversationRepository {
  constructor(private readonly clock: Clock) {}

  /** An agreement that was given stays; a new one replaces its time. */
  async record(
    tx: Tx,
    pair: {
      account: string;
      conversationId: string;
      origin: AccountConversation['origin'];
      hasAgreed: boolean;
    },
  ): Promise<void> {
    await tx.query(
      `insert into account (name, created_at)
       values ($1, coalesce($2::timestamptz, clock_timestamp())) on conflict do nothing`,
      [pair.account, this.clock.databaseNow()],
    );
    await tx.query(
      `insert into account_conversation as a
         (account, conversation_id, origin, created_at, agreed_at)
       select $1, $2, $3, given.now, case when $4 then given.now end
       from (select coalesce($5::timestamptz, clock_timestamp()) as now) given
       on conflict (account, conversation_id) do update
         set agreed_at = coalesce(excluded.agreed_at, a.agreed_at)`,
      [pair.account, pair.conversationId, pair.origin, pair.hasAgreed, this.clock.databaseNow()],
    );
  }

  /** The account's person said that the interview is not theirs. */
  async remove(tx: Tx, account: string, conversationId: string): Promise<void> {
    await tx.query('delete from account_conversation where account = $1 and conversation_id = $2', [
      account,
      conversationId,
    ]);
  }

  /**
   * Ends the access of other accounts to these conversations, as if they had never agreed. The pairs
   * stay, so that an erasure finds them.
   */
  async closeToOthers(tx: Tx, account: string, conversationIds: readonly string[]): Promise<void> {
    await tx.query(
      `update account_conversation set agreed_at = null
       where conversation_id = any($2::uuid[]) and account <> $1`,
      [account, conversationIds],
    );
  }

  /** The interviews of an account, newest first. */
  listOf(tx: Tx, account: string): Promise<AccountConversation[]> {
    return tx.query(
      `select ${COLUMNS} from account_conversation a join conversation c on c.id = a.conversation_id
       where a.account = $1 order by a.created_at desc, c.created_at desc, c.id desc`,
      [account],
    );
  }

  /** When the account's person agreed, or else came to the conversation; null: they never came. */
  async joinedAt(tx: Tx, account: string, conversationId: string): Promise<Date | null> {
    const [row] = await tx.query<{ at: Date }>(
      `select coalesce(agreed_at, created_at) as at from account_conversation
       where account = $1 and conversation_id = $2`,
      [account, conversationId],
    );
    return row?.at ?? null;
  }

  /** Accounts that have taken part in these conversations and in no others. */
  async listOnlyIn(tx: Tx, conversationIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ account: string }>(
      `select account from account_conversation where account in (
         select account from account_conversation where conversation_id = any($1::uuid[]))
       group by account having bool_and(conversation_id = any($1::uuid[])) order by account`,
      [conversationIds],
    );
    return rows.map(({ account }) => account);
  }

  /** Deletes these accounts, with everything that channels store of them. */
  async delete(tx: Tx, accounts: readonly string[]): Promise<void> {
    await tx.query('delete from account where name = any($1::text[])', [accounts]);
  }

  /**
   * Whether a browser has had a session of the conversation, or another account has taken part in
   * it. Null: the caller has neither an account nor a session of the conversation.
   */
  async isOpenElsewhere(tx: Tx, account: string | null, conversationId: string): Promise<boolean> {
    const [row] = await tx.query<{ isOpen: boolean }>(
      `select exists (select from web_session where conversation_id = $2) or exists (
         select from account_conversation where conversation_id = $2 and account is distinct from $1) as "isOpen"`,
      [account, conversationId],
    );
    return row?.isOpen === true;
  }
}

const REISSUED = isReissuedSinceSql('c', 'a.agreed_at');
const HAS_AGREED = `(a.agreed_at is not null and not ${REISSUED})`;

const COLUMNS = `a.account, a.conversation_id as "conversationId", c.vacancy_id as "vacancyId",
  c.candidate_id as "candidateId", a.origin, ${HAS_AGREED} as "hasAgreed",
  (a.agreed_at is not null and ${REISSUED}) as "hasLostAccess",
  (${HAS_AGREED}
    or not exists (select from invitation i where i.candidate_id = c.candidate_id)
    or exists (select from invitation i
      where i.bound_to = a.account and i.candidate_id = c.candidate_id
        and i.vacancy_id = c.vacancy_id and i.revoked_at is null)) as "isOpen",
  exists (select from conversation o
    where o.candidate_id = c.candidate_id and o.consent_accepted) as "isCandidateInterviewed"`;

/**
 * An interview that an account of a channel has taken part in. `begun`: it began with this account.
 * `claimed`: it was open elsewhere, and the account's person confirmed that it is theirs.
 */
export interface AccountConversation {
  readonly account: string;
  readonly conversationId: string;
  readonly vacancyId: string;
  readonly candidateId: string;
  readonly origin: 'begun' | 'claimed';
  /** This account's person has agreed to the disclosure, and no invitation was issued again since. */
  readonly hasAgreed: boolean;
  /** Its person had agreed, and the invitation was issued again since: their messages stay in it. */
  readonly hasLostAccess: boolean;
  /**
   * This account may continue it: its person has agreed, or came without an invitation, or came by
   * one that is bound to this account and was not issued again.
   */
  readonly isOpen: boolean;
  /** Somebody, here or elsewhere, has agreed to an interview of this candidate. */
  readonly isCandidateInterviewed: boolean;
}

/**
 * A condition in SQL: the invitation of a conversation was issued again at `time` or later, so that
 * access by the old link has ended. `conversation`: the alias of its row.
 */
export function isReissuedSinceSql(conversation: string, time: string): string {
  return `exists (select from invitation i
    where i.candidate_id = ${conversation}.candidate_id
      and i.vacancy_id = ${conversation}.vacancy_id and i.revoked_at >= ${time})`;
}

/** A condition in SQL: the account agreed, and the invitation was issued again since then. */
export function isClosedSql(account: string, conversationId: string): string {
  return `exists (select from account_conversation pair
    join conversation paired on paired.id = pair.conversation_id
    where pair.account = ${account} and pair.conversation_id = ${conversationId}
      and ${isReissuedSinceSql('paired', 'pair.agreed_at')})`;
}
