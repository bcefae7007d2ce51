import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Reviewer } from '../common/events';
import type { Tx } from '../common/uow';
import type { InterviewPlan } from '../vacancies';
import type { CriterionReading } from './sample-reader';

/** An answer as people rate it by one criterion. */
export interface RatingItem {
  readonly conversationId: string;
  readonly questionId: string;
  readonly criterion: string;
  readonly rubricHash: string;
  /** Of what a model is asked about it, as in a sample. */
  readonly inputHash: string;
}

/** What is certified together. Another rubric, model or prompt is another version, in shadow. */
export interface ScoreVersion {
  readonly rubricHash: string;
  readonly model: string;
  readonly promptHash: string;
}

export interface RatedItem {
  readonly criterion: string;
  readonly people: readonly { readonly rater: string; readonly mark: number }[];
  /** Of the last scoring of this very answer by the version; null: there is none. */
  readonly readings: readonly CriterionReading[] | null;
}

export interface FairnessRecord {
  readonly isPassed: boolean;
  readonly figures: unknown;
  readonly measuredAt: Date;
}

/** A person's rating, as it goes into decision files and exports. */
export interface PersonRating {
  readonly conversationId: string;
  readonly questionId: string;
  readonly criterion: string;
  readonly rubricHash: string;
  /** Of the text that was rated, as in a sample. */
  readonly inputHash: string;
  readonly rater: string;
  /** From 1 to 5; null: the interview did not ask about it. */
  readonly mark: number | null;
  readonly note: string | null;
  readonly ratedAt: Date;
  /** Since then it is not changed any more; null: nothing of others was shown to the rater yet. */
  readonly fixedAt: Date | null;
}

export function isSame(one: ScoreVersion, other: ScoreVersion): boolean {
  return (
    one.rubricHash === other.rubricHash &&
    one.model === other.model &&
    one.promptHash === other.promptHash
  );
}

const NOW = (n: number): string => `coalesce($${String(n)}::timestamptz, clock_timestamp())`;

/** People's ratings, certifications, and the results of fairness runs. */
@Injectable()
export class CalibrationRepository {
  constructor(private readonly clock: Clock) {}

  /** Finished interviews of a vacancy, with consent and without an objection. */
  interviews(
    tx: Tx,
    vacancyId: string,
  ): Promise<{ readonly id: string; readonly plan: InterviewPlan }[]> {
    return tx.query(
      `select id, plan from conversation
       where vacancy_id = $1 and status = 'completed' and consent_accepted and not is_preview
         and automated_processing_objected_at is null
       order by created_at, id`,
      [vacancyId],
    );
  }

  /** The id of the item, which it keeps for ever. */
  async keepItem(tx: Tx, item: RatingItem): Promise<string> {
    const { conversationId, questionId, criterion, rubricHash, inputHash } = item;
    const values = [conversationId, questionId, criterion, rubricHash, inputHash];
    await tx.query(
      `insert into rating_item (conversation_id, question_id, criterion, rubric_hash, input_hash)
       values ($1, $2, $3, $4, $5) on conflict do nothing`,
      values,
    );
    const [row] = await tx.query<{ id: string }>(
      `select id from rating_item where (conversation_id, question_id, criterion, rubric_hash,
         input_hash) = ($1, $2, $3, $4, $5)`,
      values,
    );
    if (row === undefined) throw new Error('an item was inserted and not found');
    return row.id;
  }

  /** Those of these items that there are, and whether this person has rated them. */
  findItems(
    tx: Tx,
    ids: readonly string[],
    rater: string,
  ): Promise<{ readonly id: string; readonly isRated: boolean }[]> {
    return tx.query(
      `select i.id, exists (select 1 from person_rating p
         where p.item_id = i.id and lower(p.rater) = lower($2)) as "isRated"
       from rating_item i where i.id::text = any($1::text[])`,
      [ids, rater],
    );
  }

  /** False: this person has rated the item before, and nothing changes. */
  async addRating(
    tx: Tx,
    { itemId, rater, mark }: { itemId: string; rater: string; mark: number },
  ): Promise<boolean> {
    const rows = await tx.query(
      `insert into person_rating (item_id, rater, mark, rated_at) values ($1, $2, $3, ${NOW(4)})
       on conflict do nothing returning item_id`,
      [itemId, rater, mark, this.clock.databaseNow()],
    );
    return rows.length > 0;
  }

  /**
   * Stores what a user gives the item, in place of what they gave it before. False: that one is fixed, or what
   * others gave the item was disclosed to the user.
   */
  async putRating(
    tx: Tx,
    {
      itemId,
      by,
      mark,
      note,
    }: { itemId: string; by: Reviewer; mark: number | null; note: string | null },
  ): Promise<boolean> {
    const rows = await tx.query(
      `insert into person_rating (item_id, rater, user_id, mark, note, rated_at, fixed_at)
       select id, $2::text, $3::uuid, $4::int, $5::text, ${NOW(6)}, null
       from rating_item where id = $1 and not ($3::uuid = any (disclosed_to))
       on conflict (item_id, lower(rater)) do update
         set user_id = excluded.user_id, mark = excluded.mark, note = excluded.note,
           rated_at = excluded.rated_at
         where person_rating.fixed_at is null
       returning item_id`,
      [itemId, by.name, by.userId, mark, note, this.clock.databaseNow()],
    );
    return rows.length > 0;
  }

  /** Others' ratings of these questions are shown to this person, who changes their own no more. */
  async fixRatings(
    tx: Tx,
    rater: string,
    shown: readonly { readonly conversationId: string; readonly questionIds: readonly string[] }[],
  ): Promise<void> {
    const questions = shown.flatMap(({ conversationId, questionIds }) =>
      questionIds.map((questionId) => ({ conversationId, questionId })),
    );
    if (questions.length === 0) return;
    await tx.query(
      `update person_rating p set fixed_at = ${NOW(4)} from rating_item i
       where i.id = p.item_id and lower(p.rater) = lower($3) and p.fixed_at is null
         and (i.conversation_id, i.question_id) in (select * from unnest($1::uuid[], $2::text[]))`,
      [
        questions.map(({ conversationId }) => conversationId),
        questions.map(({ questionId }) => questionId),
        rater,
        this.clock.databaseNow(),
      ],
    );
  }

  /** From now on the user rates none of these items: a file tells them what others gave. */
  async disclose(tx: Tx, itemIds: readonly string[], userId: string): Promise<void> {
    await tx.query(
      `update rating_item set disclosed_to = array_append(disclosed_to, $2::uuid)
       where id = any($1::uuid[]) and not ($2::uuid = any (disclosed_to))`,
      [itemIds, userId],
    );
  }

  /** The items of an interview that were disclosed to the user. */
  disclosedTo(tx: Tx, conversationId: string, userId: string): Promise<RatingItem[]> {
    return tx.query(
      `select conversation_id as "conversationId", question_id as "questionId", criterion,
         rubric_hash as "rubricHash", input_hash as "inputHash"
       from rating_item where conversation_id = $1 and $2::uuid = any (disclosed_to)`,
      [conversationId, userId],
    );
  }

  /** Those of these interviews of which this person has rated something. */
  async ratedBy(tx: Tx, conversationIds: readonly string[], rater: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `select distinct i.conversation_id as id
       from rating_item i join person_rating p on p.item_id = i.id
       where i.conversation_id = any($1::uuid[]) and lower(p.rater) = lower($2)`,
      [conversationIds, rater],
    );
    return rows.map(({ id }) => id);
  }

  /** Oldest first. */
  ratingsOf(tx: Tx, conversationIds: readonly string[]): Promise<PersonRating[]> {
    return tx.query(
      `select i.conversation_id as "conversationId", i.question_id as "questionId", i.criterion,
         i.rubric_hash as "rubricHash", i.input_hash as "inputHash", p.rater, p.mark,
         p.note, p.rated_at as "ratedAt", p.fixed_at as "fixedAt"
       from person_rating p join rating_item i on i.id = p.item_id
       where i.conversation_id = any($1::uuid[])
       order by p.rated_at, i.question_id, i.criterion, lower(p.rater)`,
      [conversationIds],
    );
  }

  /** Every item of the rubric, with people's marks and the readings of the version. */
  ratedItems(tx: Tx, { rubricHash, model, promptHash }: ScoreVersion): Promise<RatedItem[]> {
    return tx.query(
      `select i.criterion, m.readings, coalesce((
           select jsonb_agg(jsonb_build_object('rater', lower(p.rater), 'mark', p.mark))
           from person_rating p where p.item_id = i.id and p.mark is not null), '[]') as people
       from rating_item i left join lateral (
         select jsonb_agg(s.reading order by s.n) as readings
         from score_sample s join score_run r on r.id = s.run_id
         where r.conversation_id = i.conversation_id and r.state = 'done'
           and s.kind = 'criterion' and s.question_id = i.question_id and s.item = i.criterion
           and s.rubric_hash = i.rubric_hash and s.input_hash = i.input_hash
           and s.model = $2 and s.prompt_hash = $3
         group by r.id order by r.started_at desc, r.id desc limit 1) m on true
       where i.rubric_hash = $1 order by i.id`,
      [rubricHash, model, promptHash],
    );
  }

  async certify(tx: Tx, version: ScoreVersion, figures: unknown): Promise<void> {
    const { rubricHash, model, promptHash } = version;
    await tx.query(
      `insert into certification (rubric_hash, model, prompt_hash, figures, certified_at)
       values ($1, $2, $3, $4::jsonb, ${NOW(5)})
       on conflict (rubric_hash, model, prompt_hash) do update set
         figures = excluded.figures, certified_at = excluded.certified_at`,
      [rubricHash, model, promptHash, JSON.stringify(figures), this.clock.databaseNow()],
    );
  }

  /**
   * The certified versions of these rubrics. A fairness run that fails later takes the certification
   * out of force.
   */
  certified(tx: Tx, rubricHashes: readonly string[]): Promise<ScoreVersion[]> {
    return tx.query(
      `select c.rubric_hash as "rubricHash", c.model, c.prompt_hash as "promptHash"
       from certification c join fairness_result f on (f.rubric_hash, f.model, f.prompt_hash) =
         (c.rubric_hash, c.model, c.prompt_hash)
       where f.is_passed and c.rubric_hash = any($1)`,
      [rubricHashes],
    );
  }

  async keepFairness(
    tx: Tx,
    version: ScoreVersion,
    { isPassed, figures }: Pick<FairnessRecord, 'isPassed' | 'figures'>,
  ): Promise<void> {
    const { rubricHash, model, promptHash } = version;
    await tx.query(
      `insert into fairness_result (rubric_hash, model, prompt_hash, is_passed, figures, measured_at)
       values ($1, $2, $3, $4, $5::jsonb, ${NOW(6)})
       on conflict (rubric_hash, model, prompt_hash) do update set is_passed = excluded.is_passed,
         figures = excluded.figures, measured_at = excluded.measured_at`,
      [rubricHash, model, promptHash, isPassed, JSON.stringify(figures), this.clock.databaseNow()],
    );
  }

  async fairness(tx: Tx, version: ScoreVersion): Promise<FairnessRecord | null> {
    const { rubricHash, model, promptHash } = version;
    const [row] = await tx.query<FairnessRecord>(
      `select is_passed as "isPassed", figures, measured_at as "measuredAt" from fairness_result
       where (rubric_hash, model, prompt_hash) = ($1, $2, $3)`,
      [rubricHash, model, promptHash],
    );
    return row ?? null;
  }
}
