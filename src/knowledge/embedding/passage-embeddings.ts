import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';

/** A passage whose embedding this process is to ask for. */
export interface ClaimedPassage {
  readonly id: string;
  readonly headings: string;
  readonly text: string;
}

/** The vectors of passages, by model. */
@Injectable()
export class PassageEmbeddings {
  constructor(private readonly clock: Clock) {}

  /**
   * Takes up to `limit` passages without a vector of this model. Nobody else takes them for a
   * minute, twice as long after each failure, ten minutes at most: so a failure needs no word.
   */
  claim(tx: Tx, model: string, limit: number): Promise<ClaimedPassage[]> {
    return tx.query<ClaimedPassage>(CLAIM, [model, limit, this.clock.databaseNow()]);
  }

  /** A passage that a re-import removed meanwhile is left out. */
  async store(
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

  /** Whether every passage of the vacancy can be found by vectors of this model. */
  async isComplete(tx: Tx, vacancyId: string, model: string): Promise<boolean> {
    const [row] = await tx.query<{ complete: boolean }>(IS_COMPLETE, [vacancyId, model]);
    return row?.complete === true;
  }
}

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
