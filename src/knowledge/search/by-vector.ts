import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { cosine, vectorBytes } from '../embedding';
import { type Passage, type PassageRow, PASSAGE_COLUMNS, passageOf } from './passage';

/** Passages by what they mean: cosine over all of a vacancy's vectors, best first. */
@Injectable()
export class ByVector {
  /**
   * Null when some passage has no vector of this model, or one of another length (a server that
   * changed behind its model's name): what cannot be compared must not stay hidden.
   */
  async find(
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
}

const VECTORS = `
select p.id, e.vector from knowledge_passage p
left join knowledge_embedding e on e.passage_id = p.id and e.model = $2
where p.vacancy_id = $1 order by p.document_id, p.position`;

const PASSAGES = `
select ${PASSAGE_COLUMNS}
from knowledge_passage p join knowledge_document d on d.id = p.document_id
where p.id = any ($1::uuid[])`;
