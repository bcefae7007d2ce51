import { isUuid } from '../common/ids';
import { Injectable, Logger } from '@nestjs/common';
import { AccountConversationRepository } from '../candidates';
import { Clock } from '../common/clock';
import { ColloquyError } from '../common/errors';
import { DomainEvents } from '../common/events';
import type { Tx } from '../common/uow';
import { ConversationRepository } from '../interview';
import { Jobs } from '../jobs';
import { AuditRepository } from './audit.repository';
import { ErasureRepository } from './erasure.repository';
import { ExportFile, type PageCommit } from './export-file';
import { fileNameIn, notesIn } from './export-format';
import { ExportRepository } from './export.repository';

/**
 * All that is stored about one person: exported for them, and erased on their request. An erasure is
 * one commit. After it no row names or quotes the person, and no flow that is still running can write,
 * because its job, its turn and its conversation are gone.
 *
 * Other rooms take part by events: `candidate.exported` collects what they keep about the person,
 * `candidate.erasing` takes the locks that come before a conversation's lock, `conversation.erased`
 * deletes their rows.
 */
@Injectable()
export class PersonalDataService {
  private readonly logger = new Logger('Privacy');

  constructor(
    private readonly conversations: ConversationRepository,
    private readonly accounts: AccountConversationRepository,
    private readonly jobs: Jobs,
    private readonly records: ErasureRepository,
    private readonly exports: ExportRepository,
    private readonly audit: AuditRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /** The id of the conversation's candidate; null once it is erased. */
  async findOwner(tx: Tx, conversationId: string): Promise<string | null> {
    return (await this.conversations.find(tx, conversationId))?.candidateId ?? null;
  }

  /**
   * The file (PersonalDataExport) as JSON text, in pieces that are read when they are asked for, and
   * the language of its last conversation, in which it is named. `noteRead`: called in the commit that has read what
   * other rooms keep, scores among it. Throws CandidateUnknownError; so do the pieces when the person is erased before
   * the last one.
   */
  async exportOf(
    commit: PageCommit,
    candidateId: string,
    noteRead: (tx: Tx) => Promise<void> = () => Promise.resolve(),
  ): Promise<ExportedFile> {
    if (!isUuid(candidateId)) throw unknown();
    const { profile, invitations, conversations } = await commit('personal.export', async (tx) => ({
      profile: await this.exports.profile(tx, candidateId),
      invitations: await this.exports.invitations(tx, candidateId),
      conversations: await this.conversationsOf(tx, candidateId),
    }));
    if (profile === undefined) throw unknown();
    const language = conversations.at(-1)?.language ?? 'en';
    const notes = notesIn(language);
    const conversationIds = conversations.map(({ conversationId }) => conversationId);
    const file = new ExportFile(this.exports, commit, {
      candidateId,
      conversations,
      head: { exportedAt: this.clock.now(), notes, profile, invitations },
      holders: async (tx) => {
        const kept = await this.keptByOthers(tx, candidateId, conversationIds);
        await noteRead(tx);
        return kept;
      },
      gone: unknown,
    });
    return { language, fileName: fileNameIn(language), pieces: file.pieces() };
  }

  private async conversationsOf(tx: Tx, candidateId: string) {
    const conversations = [];
    for (const { id, language } of await this.exports.conversations(tx, candidateId)) {
      conversations.push({
        conversationId: id,
        language,
        ledgerKeys: await this.ledgerKeys(tx, [id]),
      });
    }
    return conversations;
  }

  private async ledgerKeys(tx: Tx, conversationIds: readonly string[]): Promise<string[]> {
    return (await this.events.collect(tx, 'ledger.keys', { conversationIds })).flat();
  }

  private async keptByOthers(
    tx: Tx,
    candidateId: string,
    conversationIds: readonly string[],
  ): Promise<Record<string, unknown>> {
    if ((await this.exports.profile(tx, candidateId)) === undefined) throw unknown();
    const kept: Record<string, unknown> = {};
    const payload = { candidateId, conversationIds };
    for (const { name, data } of await this.events.collect(tx, 'candidate.exported', payload)) {
      if (name in kept) throw new Error(`two handlers export data under the name "${name}"`);
      if (data !== undefined) kept[name] = data;
    }
    return kept;
  }

  /** Erasing twice is the same as once. `actor`: who asked for it, for the audit. */
  async erase(tx: Tx, candidateId: string, actor = 'candidate'): Promise<ErasureReport> {
    if (!isUuid(candidateId)) return NOTHING;
    const conversationIds = await this.lock(tx, candidateId);
    if (conversationIds === null) return NOTHING;
    const { messages } = await this.records.note(tx, candidateId, this.clock.databaseNow());
    await this.events.publish(tx, 'conversation.erased', { candidateId, conversationIds });
    // Ends the replies that run, and those who read them.
    for (const conversationId of conversationIds) {
      await this.events.publish(tx, 'conversation.changed', { conversationId });
    }
    const keys = await this.records.listJobKeys(tx, conversationIds);
    await this.jobs.erase(tx, { keys });
    await this.eraseAccounts(tx, conversationIds);
    const otherKeys = await this.ledgerKeys(tx, conversationIds);
    await this.records.deleteLedger(tx, conversationIds, otherKeys);
    await this.records.deletePerson(tx, candidateId);
    await this.audit.note(tx, { actor, action: 'candidate.erase', subjectId: candidateId });
    const conversations = conversationIds.length;
    tx.afterCommit(() => {
      // No name and no id: the log would keep what was erased.
      this.logger.log(
        `erased what was stored about one person: conversations ${String(conversations)}, ` +
          `messages ${String(messages)}`,
      );
    });
    return { isFound: true, conversations, messages };
  }

  /**
   * Takes the locks and returns the conversations; null when there is no such person. The order:
   * accounts of channels (every update of a channel locks its account before the conversation), the
   * person's conversations by id, then the person, after which nothing new can begin. Conversations
   * that began in between are locked last. If such a lock meets a flow that holds it and waits for
   * the others, PostgreSQL ends one of the two commits, and that one runs again.
   */
  async lock(tx: Tx, candidateId: string): Promise<string[] | null> {
    await this.events.collect(tx, 'candidate.erasing', { candidateId });
    const known = await this.records.listConversations(tx, candidateId);
    for (const id of known) await this.conversations.lock(tx, id);
    if (!(await this.records.lockCandidate(tx, candidateId))) return null;
    const all = await this.records.listConversations(tx, candidateId);
    for (const id of all) if (!known.includes(id)) await this.conversations.lock(tx, id);
    return all;
  }

  /**
   * Deletes the accounts that the person used, unless the same account has interviews as another
   * candidate. A running job of such a chat is left to end by itself: it may be the one that erases.
   */
  private async eraseAccounts(tx: Tx, conversationIds: readonly string[]): Promise<void> {
    const accounts = await this.accounts.listOnlyIn(tx, conversationIds);
    const chats = accounts.map((account) => account.slice(account.indexOf(':') + 1));
    await this.jobs.eraseIdle(tx, { keys: [...accounts, ...chats] });
    await this.accounts.delete(tx, accounts);
  }
}

const NOTHING: ErasureReport = { isFound: false, conversations: 0, messages: 0 };

interface ExportedFile {
  readonly language: 'ru' | 'en';
  readonly fileName: string;
  readonly pieces: AsyncGenerator<string, void, undefined>;
}

/** What an erasure has deleted. */
export interface ErasureReport {
  /** False: nothing was stored under this id, perhaps not any more. */
  readonly isFound: boolean;
  readonly conversations: number;
  /** Lines of transcripts. */
  readonly messages: number;
}

function unknown(): CandidateUnknownError {
  return new CandidateUnknownError('Nothing is stored about this candidate.');
}

/** Nothing is stored under this id. */
export class CandidateUnknownError extends ColloquyError {
  readonly code = 'candidate_unknown';
  readonly retryable = false;
}
