import { isUuid } from '../../common/ids';
import { ConversationUnknownError } from '../../buffer';
import { Injectable, Logger, Optional } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import { MetadataRepository, type MetadataRow } from './metadata.repository';
import {
  type ConversationMetadata,
  type MetadataUpdates,
  UNREADABLE_KEY,
  readMetadata,
  InvalidMetadataError,
  MetadataConflictError,
  metadataPatch,
} from './metadata';

/**
 * Computes updates that depend on the stored metadata, such as a longer list. It runs again on fresh
 * metadata at each try, so it must have no side effects; `at` is the database's time.
 */
export type MetadataUpdater = (current: ConversationMetadata, at: Date) => MetadataUpdates;

/**
 * A conversation's metadata under contention.
 *
 *   read (version n) ──> write where version = n ──one row──> version n + 1: true
 *                          └─ no row: somebody was faster ──> roll back, wait, read again
 *                                                              └─ tries used up: false, logged
 *
 * Writers name the keys they change, and only these are written: what others wrote meanwhile, or
 * what this code does not know, is never written back from an old copy.
 *
 * What is stored and cannot be read counts as absent. The next write moves it, as it is, to the end
 * of the list under the key `unreadable`, so that nothing is lost however often it is damaged.
 */
@Injectable()
export class MetadataService {
  private readonly logger = new Logger('ConversationMetadata');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly rows: MetadataRepository,
    private readonly clock: Clock,
    @Optional() private readonly chance: () => number = Math.random,
  ) {}

  async read(tx: Tx, conversationId: string): Promise<ConversationMetadata> {
    assertId(conversationId);
    const row = await this.rows.find(tx, conversationId, this.clock.databaseNow());
    return readMetadata(known(row).metadata).metadata;
  }

  /**
   * Within the caller's commit, under the conversation's lock, which it takes if the caller has not:
   * no conflict and no retry. Throws ConversationUnknownError and InvalidMetadataError.
   */
  async update(
    tx: Tx,
    conversationId: string,
    updates: MetadataUpdates | MetadataUpdater,
  ): Promise<void> {
    assertId(conversationId);
    const row = await this.rows.lock(tx, conversationId, this.clock.databaseNow());
    await this.write(tx, conversationId, known(row), updates);
  }

  /**
   * No part of the application calls it: the product's design asks for it as the way for code outside of a
   * commit, with the promises M1 to M4, which test/interview/metadata.spec.ts and metadata-properties.spec.ts
   * prove. What Colloquy itself stores goes through `update`, in the commit that it belongs to.
   *
   * In a unit of its own, with `maxRetries` tries after the first (0 to 1000). True: stored, as one
   * version. False: other writers were faster each time, and nothing of it is stored. On an error
   * nothing is stored either, but for CommitOutcomeUnknownError. Throws ConversationUnknownError,
   * InvalidMetadataError, whatever an updater throws, and the unit's own errors.
   */
  async updateConversationMetadata(
    conversationId: string,
    updates: MetadataUpdates | MetadataUpdater,
    { maxRetries = 3 }: { readonly maxRetries?: number } = {},
  ): Promise<boolean> {
    assertId(conversationId);
    assertRetries(maxRetries);
    return this.units.run('metadata', async (uow) => {
      for (let tries = 1; ; tries += 1) {
        try {
          await uow.commit('metadata.update', (tx) => this.updateOnce(tx, conversationId, updates));
          return true;
        } catch (error) {
          if (!(error instanceof MetadataConflictError)) throw error;
          if (tries > maxRetries) return this.giveUp(conversationId, error, tries);
        }
        await this.clock.sleep(conflictDelayMs(tries, this.chance()));
      }
    });
  }

  private async updateOnce(
    tx: Tx,
    conversationId: string,
    updates: MetadataUpdates | MetadataUpdater,
  ): Promise<void> {
    const row = await this.rows.find(tx, conversationId, this.clock.databaseNow());
    await this.write(tx, conversationId, known(row), updates);
  }

  private async write(
    tx: Tx,
    conversationId: string,
    row: MetadataRow,
    updates: MetadataUpdates | MetadataUpdater,
  ): Promise<void> {
    const { metadata, unreadable } = readMetadata(row.metadata);
    const patch = metadataPatch(
      typeof updates === 'function' ? updates(metadata, row.at) : updates,
    );
    const isWritten = await this.rows.write(tx, conversationId, {
      version: row.version,
      unreadable,
      patch,
      now: this.clock.databaseNow(),
    });
    if (!isWritten) {
      const keys = Object.keys(patch).join(', ');
      throw new MetadataConflictError('another writer has changed the metadata', {
        fields: { keys },
      });
    }
    if (unreadable.length === 0) return;
    const fields = unreadable.map((field) => field ?? 'all of it').join(', ');
    this.logger.warn(
      `metadata of conversation ${conversationId} could not be read: ${fields}; the values are kept ` +
        `under the key ${UNREADABLE_KEY}, write corrected ones to the fields`,
    );
  }

  private giveUp(conversationId: string, { fields }: MetadataConflictError, tries: number): false {
    this.logger.warn(
      `metadata of conversation ${conversationId} was not updated: other writers were faster in ` +
        `${tries} of ${tries} tries; keys: ${fields['keys'] ?? ''}`,
    );
    return false;
  }
}

const MAX_RETRIES = 1000;
const FIRST_DELAY_MS = 20;
const MAX_DELAY_MS = 1000;

/**
 * A random delay up to a maximum that doubles with each try, so that writers that collided do not
 * collide again.
 * Measured with three tries more: of 10 writers without a pause 33 % of the updates were refused
 * with a first delay of 4 ms and 12 % with 20 ms, of 3 writers 10 % and 2 %, at the same rate.
 */
function conflictDelayMs(tries: number, chance: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1)) * chance;
}

function assertId(conversationId: string): void {
  if (!isUuid(conversationId)) throw unknownConversation();
}

function known(row: MetadataRow | undefined): MetadataRow {
  if (row === undefined) throw unknownConversation();
  return row;
}

function unknownConversation(): ConversationUnknownError {
  return new ConversationUnknownError('there is no such conversation');
}

function assertRetries(maxRetries: number): void {
  if (Number.isInteger(maxRetries) && maxRetries >= 0 && maxRetries <= MAX_RETRIES) return;
  throw new InvalidMetadataError(`maxRetries: expected a whole number from 0 to ${MAX_RETRIES}`);
}
