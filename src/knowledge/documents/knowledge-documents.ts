import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import type { Tx } from '../../common/uow';
import type { VacancyDocument } from './vacancy-document';

/** What an import did to a vacancy's documents. */
export interface DocumentsOutcome {
  readonly stored: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly passages: number;
}

/** Stores a vacancy's documents and their passages. Embeddings come later, by the sweep. */
@Injectable()
export class KnowledgeRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * From now on exactly these are the vacancy's documents. What did not change keeps its rows, and
   * so its embeddings. The caller's commit makes it one change: no search sees half of it.
   */
  async replace(
    tx: Tx,
    vacancyId: string,
    documents: readonly VacancyDocument[],
  ): Promise<DocumentsOutcome> {
    // Two imports of one vacancy come one after the other.
    await tx.query('select 1 from vacancy where id = $1 for no key update', [vacancyId]);
    const kept = await this.keptOf(tx, vacancyId, documents);
    const removed = await tx.query<{ name: string }>(REMOVE_OTHERS, [vacancyId, [...kept]]);
    const changed = documents.filter(({ name }) => !kept.has(name));
    for (const document of changed) await this.insert(tx, vacancyId, document);
    return {
      stored: changed.length,
      unchanged: kept.size,
      removed: removed.filter(({ name }) => !changed.some((document) => document.name === name))
        .length,
      passages: documents.reduce((sum, { chunks }) => sum + chunks.length, 0),
    };
  }

  /** Whether there is anything to search. */
  async has(tx: Tx, vacancyId: string): Promise<boolean> {
    const rows = await tx.query('select 1 from knowledge_document where vacancy_id = $1 limit 1', [
      vacancyId,
    ]);
    return rows.length > 0;
  }

  private async keptOf(
    tx: Tx,
    vacancyId: string,
    documents: readonly VacancyDocument[],
  ): Promise<ReadonlySet<string>> {
    const rows = await tx.query<{ name: string; content_hash: string }>(
      'select name, content_hash from knowledge_document where vacancy_id = $1',
      [vacancyId],
    );
    const stored = new Map(rows.map(({ name, content_hash }) => [name, content_hash]));
    const same = documents.filter(({ name, contentHash }) => stored.get(name) === contentHash);
    return new Set(same.map(({ name }) => name));
  }

  private async insert(tx: Tx, vacancyId: string, document: VacancyDocument): Promise<void> {
    const { name, language, chunks, contentHash } = document;
    const id = newId();
    await tx.query(INSERT_DOCUMENT, [
      id,
      vacancyId,
      name,
      language,
      contentHash,
      this.clock.databaseNow(),
    ]);
    const passages = chunks.map(({ headings, text }, position) => ({
      id: newId(),
      position,
      headings: headings.join('\n'),
      text,
    }));
    await tx.query(INSERT_PASSAGES, [id, vacancyId, language, JSON.stringify(passages)]);
  }
}

const REMOVE_OTHERS = `
delete from knowledge_document where vacancy_id = $1 and name <> all ($2::text[]) returning name`;

const INSERT_DOCUMENT = `
insert into knowledge_document (id, vacancy_id, name, language, content_hash, imported_at)
values ($1, $2, $3, $4, $5, coalesce($6::timestamptz, clock_timestamp()))`;

const INSERT_PASSAGES = `
insert into knowledge_passage (id, document_id, vacancy_id, language, position, headings, text)
select p.id, $1, $2, $3, p.position, p.headings, p.text
from jsonb_to_recordset($4::jsonb) as p (id uuid, position int, headings text, text text)`;
