import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { newId } from '../common/ids';
import type { Tx } from '../common/uow';
import { ANSWER_DOCUMENTS, isAnswerDocument } from './answer-document';
import type { Chunk } from './document-chunks';
import type { VacancyDocument } from './document-files';
import { type Passage, type PassageRow, PASSAGE_COLUMNS, passageOf } from './passage';

/**
 * SQL of documents, their passages and the passages' vectors. EmbeddingSweep requests the vectors.
 */
@Injectable()
export class KnowledgeRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * Makes exactly these the vacancy's documents; what people have answered stays beside them. Unchanged
   * documents keep their rows, and so their embeddings. Searches see all of the change or none, because it is one commit of the caller.
   */
  async replace(
    tx: Tx,
    vacancyId: string,
    documents: readonly VacancyDocument[],
  ): Promise<DocumentsOutcome> {
    // Imports of one vacancy wait for each other.
    await tx.query('select 1 from vacancy where id = $1 for no key update', [vacancyId]);
    const kept = await this.keptOf(tx, vacancyId, documents);
    const given = new Set(documents.map(({ name }) => name));
    const answers = ANSWER_DOCUMENTS.filter((name) => !given.has(name));
    const removed = await tx.query<{ name: string }>(REMOVE_OTHERS, [
      vacancyId,
      [...kept, ...answers],
    ]);
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

  /** Stores one document beside the others, in place of one of its name. The caller has locked the vacancy. */
  async put(tx: Tx, vacancyId: string, document: VacancyDocument): Promise<void> {
    if ((await this.keptOf(tx, vacancyId, [document])).size > 0) return;
    await this.remove(tx, vacancyId, document.name);
    await this.insert(tx, vacancyId, document);
  }

  /** False: the vacancy has no document of this name. */
  async remove(tx: Tx, vacancyId: string, name: string): Promise<boolean> {
    const rows = await tx.query(
      'delete from knowledge_document where vacancy_id = $1 and name = $2 returning id',
      [vacancyId, name],
    );
    return rows.length > 0;
  }

  /**
   * Removes the vacancy's documents with other names, except what people have answered. Returns those of the names
   * that are not stored.
   */
  async keepOnly(tx: Tx, vacancyId: string, names: readonly string[]): Promise<string[]> {
    await tx.query(REMOVE_OTHERS, [vacancyId, [...names, ...ANSWER_DOCUMENTS]]);
    const stored = new Set((await this.list(tx, vacancyId)).map(({ name }) => name));
    return names.filter((name) => !stored.has(name));
  }

  /** A vacancy's documents by name, each with the number of its passages. */
  async list(tx: Tx, vacancyId: string): Promise<StoredDocument[]> {
    return tx.query<StoredDocument>(LIST, [vacancyId]);
  }

  /** The names of the documents that belong to the vacancy's file: without what people have answered. */
  async listNamesInFile(tx: Tx, vacancyId: string): Promise<string[]> {
    const documents = await this.list(tx, vacancyId);
    return documents.map(({ name }) => name).filter((name) => !isAnswerDocument(name));
  }

  /** The passages of one document, in their order; none: there is no such document. */
  async chunksOf(tx: Tx, vacancyId: string, name: string): Promise<Chunk[]> {
    const rows = await tx.query<PassageRow>(PASSAGES_OF_DOCUMENT, [vacancyId, name]);
    return rows.map(passageOf).map(({ headings, text }) => ({ headings, text }));
  }

  /** Whether there is anything to search. */
  async has(tx: Tx, vacancyId: string): Promise<boolean> {
    return (await this.countUpTo(tx, vacancyId, 1)) > 0;
  }

  /** How many passages the vacancy has; more than `most` are not counted. */
  async countUpTo(tx: Tx, vacancyId: string, most: number): Promise<number> {
    const [row] = await tx.query<{ count: number }>(COUNT, [vacancyId, most]);
    return row?.count ?? 0;
  }

  /** All passages of the vacancy, in the order of its documents. Belongs behind `countUpTo`. */
  async listPassages(tx: Tx, vacancyId: string): Promise<Passage[]> {
    return (await tx.query<PassageRow>(ALL_PASSAGES, [vacancyId])).map(passageOf);
  }

  /** Those of these passages that are still stored, in any order. */
  async findPassages(tx: Tx, ids: readonly string[]): Promise<Passage[]> {
    return ids.length === 0 ? [] : (await tx.query<PassageRow>(PASSAGES, [ids])).map(passageOf);
  }

  /**
   * Claims up to `limit` passages without a vector of this model. No other process claims them for
   * a minute, twice as long after each failure, ten minutes at most, so a failure is not reported.
   */
  claimUnembedded(tx: Tx, model: string, limit: number): Promise<ClaimedPassage[]> {
    return tx.query<ClaimedPassage>(CLAIM, [model, limit, this.clock.databaseNow()]);
  }

  /** Skips passages that an import removed meanwhile. */
  async storeEmbeddings(
    tx: Tx,
    model: string,
    vectors: readonly { readonly passageId: string; readonly vector: Buffer }[],
  ): Promise<void> {
    await tx.query(STORE, [
      model,
      vectors.map(({ passageId }) => passageId),
      vectors.map(({ vector }) => vector),
    ]);
  }

  /** Whether every passage of the vacancy has a vector of this model. */
  async isEmbedded(tx: Tx, vacancyId: string, model: string): Promise<boolean> {
    const [row] = await tx.query<{ complete: boolean }>(IS_COMPLETE, [vacancyId, model]);
    return row?.complete === true;
  }

  /**
   * The passages with the highest cosine, best first. Null when a passage has no vector of this
   * model, or one of another length because the server changed the model behind its name: a search
   * by vectors would never find such a passage.
   */
  async findByVector(
    tx: Tx,
    query: {
      readonly vacancyId: string;
      readonly model: string;
      readonly vector: readonly number[];
      readonly limit: number;
    },
  ): Promise<Passage[] | null> {
    const { vacancyId, model, vector, limit } = query;
    const rows = await tx.query<{ id: string; vector: Buffer | null }>(VECTORS, [vacancyId, model]);
    const asked = vectorBytes(vector);
    const scored = rows.flatMap(({ id, vector: bytes }) =>
      bytes?.length === asked.length ? [{ id, score: cosine(asked, bytes) }] : [],
    );
    if (scored.length < rows.length) return null;
    const best = scored.sort((a, b) => b.score - a.score).slice(0, limit);
    const ids = best.map(({ id }) => id);
    const found = await tx.query<PassageRow>(PASSAGES, [ids]);
    return found.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)).map(passageOf);
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

/** What an import did to a vacancy's documents. */
export interface DocumentsOutcome {
  readonly stored: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly passages: number;
}

/** A document as it is stored: in passages, without its file. */
export interface StoredDocument {
  readonly name: string;
  readonly passages: number;
}

/** A passage whose embedding this process has to request. */
export interface ClaimedPassage {
  readonly id: string;
  readonly headings: string;
  readonly text: string;
}

const BYTES = 4;

/**
 * A vector as it is stored: of length one, so that a product is the cosine, as little-endian 32-bit
 * floats, which are as precise as a model's own numbers.
 */
export function vectorBytes(numbers: readonly number[]): Buffer {
  const length = Math.hypot(...numbers);
  const bytes = Buffer.alloc(numbers.length * BYTES);
  for (const [place, number] of numbers.entries()) {
    bytes.writeFloatLE(number / length, place * BYTES);
  }
  return bytes;
}

/** From -1 to 1; both as `vectorBytes` made them, of equal length. */
export function cosine(a: Buffer, b: Buffer): number {
  let product = 0;
  for (let at = 0; at < a.length; at += BYTES) product += a.readFloatLE(at) * b.readFloatLE(at);
  return product;
}

const LIST = `
select d.name, count(p.id)::int as passages
from knowledge_document d left join knowledge_passage p on p.document_id = d.id
where d.vacancy_id = $1 group by d.name order by d.name`;

const COUNT = `
select count(*)::int as count
from (select 1 from knowledge_passage where vacancy_id = $1 limit $2) as counted`;

/** The order never changes while the documents do not, because prompts begin with it. */
const ALL_PASSAGES = `
select ${PASSAGE_COLUMNS}
from knowledge_passage p join knowledge_document d on d.id = p.document_id
where p.vacancy_id = $1 order by d.name, p.position`;

const PASSAGES_OF_DOCUMENT = `
select ${PASSAGE_COLUMNS}
from knowledge_passage p join knowledge_document d on d.id = p.document_id
where d.vacancy_id = $1 and d.name = $2 order by p.position`;

const REMOVE_OTHERS = `
delete from knowledge_document where vacancy_id = $1 and name <> all ($2::text[]) returning name`;

const INSERT_DOCUMENT = `
insert into knowledge_document (id, vacancy_id, name, language, content_hash, imported_at)
values ($1, $2, $3, $4, $5, coalesce($6::timestamptz, clock_timestamp()))`;

const INSERT_PASSAGES = `
insert into knowledge_passage (id, document_id, vacancy_id, language, position, headings, text)
select p.id, $1, $2, $3, p.position, p.headings, p.text
from jsonb_to_recordset($4::jsonb) as p (id uuid, position int, headings text, text text)`;

const CLAIM = `
with due as (
  select p.id from knowledge_passage p
  left join knowledge_embedding e on e.passage_id = p.id and e.model = $1
  where e.passage_id is null
    or (e.vector is null and e.due_at <= coalesce($3::timestamptz, now()))
  order by p.id limit $2
), claimed as (
  insert into knowledge_embedding as e (passage_id, model, due_at)
  select id, $1, coalesce($3::timestamptz, clock_timestamp()) + interval '1 minute' from due
  on conflict (passage_id, model) do update set tries = least(e.tries + 1, 100),
    due_at = coalesce($3::timestamptz, clock_timestamp())
      + least(interval '10 minutes', interval '1 minute' * 2 ^ least(e.tries, 10))
    where e.vector is null and e.due_at <= coalesce($3::timestamptz, now())
  returning passage_id
)
select p.id, p.headings, p.text from claimed join knowledge_passage p on p.id = claimed.passage_id
order by p.id`;

const STORE = `
update knowledge_embedding e set vector = v.vector, dimensions = octet_length(v.vector) / 4
from unnest($2::uuid[], $3::bytea[]) as v (passage_id, vector)
where e.passage_id = v.passage_id and e.model = $1`;

const IS_COMPLETE = `
select bool_and(e.vector is not null) as complete
from knowledge_passage p
left join knowledge_embedding e on e.passage_id = p.id and e.model = $2
where p.vacancy_id = $1`;

const VECTORS = `
select p.id, e.vector from knowledge_passage p
left join knowledge_embedding e on e.passage_id = p.id and e.model = $2
where p.vacancy_id = $1 order by p.document_id, p.position`;

const PASSAGES = `
select ${PASSAGE_COLUMNS}
from knowledge_passage p join knowledge_document d on d.id = p.document_id
where p.id = any ($1::uuid[])`;
