import { type Day, dayIn, parseDay } from '../../common/calendar';
import {
  type PropertyKey,
  type PropertyNames,
  type PropertyProblem,
  PropertyReader,
  presentFirst,
} from './board-schema';
import type { UpdatePageParameters } from '@notionhq/client';
import { z } from 'zod';

/** A task of a person's board. Days are in the board's time zone. */
export interface BoardTask {
  readonly pageId: string;
  readonly name: string;
  /** Notion users; those who have left the workspace are last. */
  readonly assigneeIds: readonly string[];
  /** Higher comes sooner; null: not set. */
  readonly importance: number | null;
  readonly status: string | null;
  /** Its status is in the group "Complete". */
  readonly isClosed: boolean;
  readonly due: Day | null;
  readonly estimateHours: number | null;
  readonly startedOn: Day | null;
  readonly parentId: string | null;
  readonly blockedByIds: readonly string[];
  /** As Notion writes it, in UTC; such texts sort like the times. */
  readonly createdAt: string;
  readonly createdOn: Day | null;
  readonly written: WrittenValues;
}

/** A page that was returned twice, because the board changed between two requests, is one task. */
export function readBoard(pages: readonly BoardPage[], reading: BoardReading): Board {
  const problems = new Map<string, PropertyProblem>();
  const tasks = new Map<string, BoardTask>();
  for (const page of pages) {
    const reader = new PropertyReader(page.properties, reading.names);
    tasks.set(page.id, readTask(page, reader, reading));
    for (const problem of reader.problems) {
      const kind = JSON.stringify(problem);
      const { pageIds = [] } = problems.get(kind) ?? {};
      const isOfPage = problem.found === 'unreadable' || problem.found === 'cut';
      const named = isOfPage ? { pageIds: [...new Set([...pageIds, page.id])] } : {};
      problems.set(kind, { ...problem, ...named });
    }
  }
  return { tasks: [...tasks.values()], problems: [...problems.values()] };
}

/** The values that the sync writes. */
export interface WrittenValues {
  readonly queueRank: number | null;
  /** A day, or any other text that a person entered, which then differs from the wanted value. */
  readonly projectedCompletion: string | null;
  readonly atRisk: boolean | null;
}

/** A page as Notion returns it (`PageObjectResponse`); only its id is trusted. */
export interface BoardPage {
  readonly id: string;
  readonly created_time: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface BoardReading {
  readonly names: PropertyNames;
  readonly closedStatusIds: ReadonlySet<string>;
  readonly timeZone: string;
  readonly estimateUnit: 'hours' | 'days';
  readonly hoursADay: number;
  /** The estimate of tasks without one, in the board's unit; 0: none. */
  readonly defaultEstimate: number;
}

export interface Board {
  readonly tasks: readonly BoardTask[];
  /** Each problem once, for however many pages. A board with problems must not be ranked. */
  readonly problems: readonly PropertyProblem[];
}

function readTask(page: BoardPage, reader: PropertyReader, reading: BoardReading): BoardTask {
  const status = reader.value('status')?.status ?? null;
  const title = reader.value('name')?.title ?? [];
  const blockedBy = reader.value('blockedBy');
  if (blockedBy?.has_more === true) reader.cut('blockedBy');
  return {
    pageId: page.id,
    name: title.map((part) => part.plain_text).join(''),
    assigneeIds: presentFirst(reader.value('assignee')?.people ?? []).map(({ id }) => id),
    importance: reader.value('importance')?.number ?? null,
    status: status?.name ?? null,
    isClosed: status !== null && reading.closedStatusIds.has(status.id),
    due: readDay(reader, 'due', reading.timeZone),
    estimateHours: hoursOf(reader.value('estimate')?.number ?? null, reading),
    startedOn: readDay(reader, 'startedDate', reading.timeZone),
    // One parent is used, so that the rest of a longer list does not matter.
    parentId: reader.value('parentTask')?.relation[0]?.id ?? null,
    blockedByIds: blockedBy?.relation.map(({ id }) => id) ?? [],
    createdAt: page.created_time,
    createdOn: dayOfDate(page.created_time, reading.timeZone),
    written: readWritten(reader),
  };
}

function readWritten(reader: PropertyReader): WrittenValues {
  const projected = reader.value('projectedCompletion')?.date ?? null;
  return {
    queueRank: reader.value('queueRank')?.number ?? null,
    projectedCompletion:
      projected === null ? null : [projected.start, projected.end ?? []].flat().join('/'),
    atRisk: reader.value('atRisk')?.checkbox ?? null,
  };
}

/** A due date with two days means that the task begins on the first and is due on the last. */
function readDay(
  reader: PropertyReader,
  key: PropertyKey & ('due' | 'startedDate'),
  timeZone: string,
): Day | null {
  const date = reader.value(key)?.date ?? null;
  if (date === null) return null;
  const text = key === 'due' ? (date.end ?? date.start) : date.start;
  return dayOfDate(text, timeZone) ?? reader.unreadable(key);
}

const WITH_OFFSET = /^[\d-]+T.*(Z|[+-]\d{2}:?\d{2})$/i;

/** Notion writes a day, or a time with its offset from UTC; without an offset it is local time. */
function dayOfDate(text: string, timeZone: string): Day | null {
  if (!WITH_OFFSET.test(text)) return parseDay(text.slice(0, 10));
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? null : parseDay(dayIn(timeZone, instant));
}

function hoursOf(estimate: number | null, reading: BoardReading): number | null {
  const { defaultEstimate, estimateUnit, hoursADay } = reading;
  const value = estimate ?? (defaultEstimate > 0 ? defaultEstimate : null);
  if (value === null) return null;
  return Math.max(0, estimateUnit === 'days' ? value * hoursADay : value);
}

export type PropertyPatch = NonNullable<UpdatePageParameters['properties']>;

/** The values as `properties` of a page update, without those that the board has no property for. */
export function patchOf(values: Partial<WrittenValues>, names: PropertyNames): PropertyPatch {
  const patch: PropertyPatch = {};
  const { queueRank, projectedCompletion, atRisk } = values;
  if (queueRank !== undefined) patch[names.queueRank] = { number: queueRank };
  if (projectedCompletion !== undefined && names.projectedCompletion !== null) {
    const date = projectedCompletion === null ? null : { start: projectedCompletion };
    patch[names.projectedCompletion] = { date };
  }
  if (atRisk !== undefined && names.atRisk !== null) {
    patch[names.atRisk] = { checkbox: atRisk ?? false };
  }
  return patch;
}

const CUT = z.object({ id: z.string(), type: z.literal('relation'), has_more: z.literal(true) });

/** The id of the property with the page's blockers, if the page shows only the first of them; null: it shows all. */
export function idOfCutBlockers(page: BoardPage, { blockedBy }: PropertyNames): string | null {
  if (blockedBy === null || !Object.hasOwn(page.properties, blockedBy)) return null;
  return CUT.safeParse(page.properties[blockedBy]).data?.id ?? null;
}

/** The page with all its blockers. */
export function withBlockers(
  page: BoardPage,
  { blockedBy }: PropertyNames,
  pageIds: readonly string[],
): BoardPage {
  const relation = pageIds.map((id) => ({ id }));
  const whole = { type: 'relation', relation, has_more: false };
  return { ...page, properties: { ...page.properties, [blockedBy ?? '']: whole } };
}
