import { ColloquyError } from '../common/errors';
import { Injectable } from '@nestjs/common';
import { AccountConversationRepository } from '../candidates';
import { Clock } from '../common/clock';
import { EventBus } from '../common/events';
import type { Tx } from '../common/uow';
import { DeliveryService } from '../delivery';
import { AuditRepository } from './audit.repository';
import { ConversationRepository } from '../interview';
import { Jobs } from '../jobs';
import type { Erased } from './erased-flows';
import { ErasureRepository } from './erasure.repository';
import { ExportFile, type PageCommit } from './export-file';
import { ExportRepository } from './export.repository';
import { notesIn } from './export-format';
import type { PersonalDataHolder } from './personal-data-holder';

/** Nobody is stored under that id. */
export class CandidateUnknownError extends ColloquyError {
  readonly code = 'candidate_unknown';
  readonly retryable = false;
}

/** Two holders of one name, or none: a bug of whoever registers them. */
export class PersonalDataHolderError extends ColloquyError {
  readonly code = 'personal_data_holder';
  readonly retryable = false;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NOTHING: Erased = { isFound: false, conversations: 0, conversationIds: [], messages: 0 };

interface ExportedFile {
  readonly language: 'ru' | 'en';
  readonly pieces: AsyncGenerator<string, void, undefined>;
}

/**
 * All that is stored about one person: told to them, and erased when they say so. An erasure is one
 * commit; after it no row names or quotes the person, and no flow that is still under way can
 * write: its job, its turn and its conversation are gone.
 */
@Injectable()
export class PersonalDataService {
  private readonly holders = new Map<string, PersonalDataHolder>();

  constructor(
    private readonly conversations: ConversationRepository,
    private readonly accounts: AccountConversationRepository,
    private readonly jobs: Jobs,
    private readonly deliveries: DeliveryService,
    private readonly exports: ExportRepository,
    private readonly erasures: ErasureRepository,
    private readonly audit: AuditRepository,
    private readonly events: EventBus,
    private readonly clock: Clock,
  ) {}

  /** At boot, once for each name. Throws PersonalDataHolderError. */
  registerHolder(holder: PersonalDataHolder): void {
    if (this.holders.has(holder.name)) {
      throw new PersonalDataHolderError(`the holder "${holder.name}" is registered already`);
    }
    this.holders.set(holder.name, holder);
  }

  /** Whose conversation it is; null once it is erased. */
  async findOwner(tx: Tx, conversationId: string): Promise<string | null> {
    return (await this.conversations.find(tx, conversationId))?.candidateId ?? null;
  }

  /**
   * The file (PersonalDataExport) as JSON text, in pieces that are read as they are asked for, and
   * the language of its last conversation. Throws CandidateUnknownError, and so do the pieces if the
   * person is erased before the last one.
   */
  async exportOf(commit: PageCommit, candidateId: string): Promise<ExportedFile> {
    if (!UUID.test(candidateId)) throw unknown();
    const { profile, invitations, conversations } = await commit('personal.export', async (tx) => ({
      profile: await this.exports.profile(tx, candidateId),
      invitations: await this.exports.invitations(tx, candidateId),
      conversations: await this.exports.conversations(tx, candidateId),
    }));
    if (profile === undefined) throw unknown();
    const language = conversations.at(-1)?.language ?? 'en';
    const notes = notesIn(language);
    const conversationIds = conversations.map(({ id }) => id);
    const file = new ExportFile(this.exports, commit, {
      candidateId,
      conversationIds,
      head: { exportedAt: this.clock.now(), notes, profile, invitations },
      holders: (tx) => this.heldOf(tx, candidateId, conversationIds),
      gone: unknown,
    });
    return { language, pieces: file.pieces() };
  }

  /**
   * Erasing twice is erasing once. `actor`: who asked for it, for the audit. After the commit:
   * `ErasedFlows.stop`.
   */
  async erase(tx: Tx, candidateId: string, actor = 'candidate'): Promise<Erased> {
    if (!UUID.test(candidateId)) return NOTHING;
    const conversationIds = await this.lock(tx, candidateId);
    if (conversationIds === null) return NOTHING;
    const { messages } = await this.erasures.note(tx, candidateId, this.clock.databaseNow());
    for (const holder of this.holders.values()) {
      await holder.erase(tx, candidateId, conversationIds);
    }
    for (const conversationId of conversationIds) {
      await this.events.publish(tx, 'conversation.changed', { conversationId });
    }
    const keys = await this.erasures.listJobKeys(tx, conversationIds);
    await this.jobs.erase(tx, { keys });
    await this.deliveries.erase(tx, conversationIds);
    await this.eraseAccounts(tx, conversationIds);
    await this.erasures.deleteLedger(tx, conversationIds);
    await this.erasures.deletePerson(tx, candidateId);
    await this.audit.note(tx, { actor, action: 'candidate.erase', subjectId: candidateId });
    return { isFound: true, conversations: conversationIds.length, conversationIds, messages };
  }

  private async heldOf(
    tx: Tx,
    candidateId: string,
    conversationIds: readonly string[],
  ): Promise<Record<string, unknown>> {
    if ((await this.exports.profile(tx, candidateId)) === undefined) throw unknown();
    const held: Record<string, unknown> = {};
    for (const holder of this.holders.values()) {
      const kept = await holder.exportOf(tx, candidateId, conversationIds);
      if (kept !== undefined) held[holder.name] = kept;
    }
    return held;
  }

  /**
   * The accounts that the person used, unless they have interviews as another candidate. A job of
   * such a chat that is running ends by itself: it may be what erases.
   */
  private async eraseAccounts(tx: Tx, conversationIds: readonly string[]): Promise<void> {
    const accounts = await this.accounts.listOnlyIn(tx, conversationIds);
    const chats = accounts.map((account) => account.slice(account.indexOf(':') + 1));
    await this.jobs.eraseIdle(tx, { keys: [...accounts, ...chats] });
    await this.accounts.delete(tx, accounts);
  }

  /**
   * Locks the accounts of the person's channels (every update of a channel locks its account before
   * the conversation), all that the person has begun, in the order of ids, then the person: from there on
   * nothing new can begin. What began in between is locked after it; should that meet somebody who
   * waits the other way round, PostgreSQL ends one of the two, and that commit runs again.
   */
  private async lock(tx: Tx, candidateId: string): Promise<string[] | null> {
    for (const holder of this.holders.values()) await holder.lock?.(tx, candidateId);
    const known = await this.erasures.listConversations(tx, candidateId);
    for (const id of known) await this.conversations.lock(tx, id);
    if (!(await this.erasures.lockCandidate(tx, candidateId))) return null;
    const all = await this.erasures.listConversations(tx, candidateId);
    for (const id of all) if (!known.includes(id)) await this.conversations.lock(tx, id);
    return all;
  }
}

function unknown(): CandidateUnknownError {
  return new CandidateUnknownError('Nothing is stored about this candidate.');
}
