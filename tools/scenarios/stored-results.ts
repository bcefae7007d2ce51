import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROMPT_ID } from '../../src/interview/prompts/instructions';
import type { Played } from './play';

/**
 * What every scenario has led to with every interviewer that is written by hand (results.json). A change of
 * the prompt or of the way of a verdict shows as a difference of that file.
 */
export interface StoredResults {
  /** Name, version and hash of the instructions with which the scenarios were played. */
  readonly prompt: string;
  /** By scenario and interviewer: status and question | verdicts | kinds of attention items | labels. */
  readonly results: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const FILE = path.join(__dirname, 'results.json');
const COMMAND = '`./colloquy scenarios --store`';

/** Null before the first `--store`. */
export function readResults(): StoredResults | null {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as StoredResults) : null;
}

/** One line for each interviewer, so that a difference shows the scenario. */
export function writeResults(played: readonly Played[]): void {
  const lines = Object.entries(resultsOf(played)).map(([id, byInterviewer]) => {
    const own = Object.entries(byInterviewer).map(
      ([interviewer, result]) => `      ${JSON.stringify(interviewer)}: ${JSON.stringify(result)}`,
    );
    return `    ${JSON.stringify(id)}: {\n${own.join(',\n')}\n    }`;
  });
  const prompt = JSON.stringify(PROMPT_ID);
  const text = `{\n  "prompt": ${prompt},\n  "results": {\n${lines.join(',\n')}\n  }\n}\n`;
  writeFileSync(FILE, text);
}

export function resultsOf(played: readonly Played[]): StoredResults['results'] {
  const results: Record<string, Record<string, string>> = {};
  for (const { scenario, interviewer, ending } of played) {
    const { status, question, verdicts, attention, labels } = ending;
    const parts = [`${status} ${String(question)}`, verdicts.join(' ')];
    const needs = attention.length === 0 ? 'nobody' : attention.join(' ');
    const result = [...parts, needs, labels.join(', ')].join(' | ');
    results[scenario.id] = { ...results[scenario.id], [interviewer]: result };
  }
  return results;
}

/** Why the stored results do not belong to the prompt as it is now; null: they do. */
export function promptDifference(
  stored: StoredResults | null,
  promptId = PROMPT_ID,
): string | null {
  if (stored === null) return `There are no stored results: run ${COMMAND}.`;
  if (stored.prompt === promptId) return null;
  return (
    `The scenarios were stored with the prompt ${stored.prompt}, and it is now ${promptId}: ` +
    `run ${COMMAND} and read what changed.`
  );
}

/** The results that differ from the stored ones, one sentence each. */
export function changedResults(
  stored: StoredResults | null,
  played: StoredResults['results'],
): string[] {
  return Object.entries(played).flatMap(([id, byInterviewer]) =>
    Object.entries(byInterviewer).flatMap(([interviewer, now]) => {
      const before = stored?.results[id]?.[interviewer];
      if (before === now) return [];
      return [`${id} (${interviewer}): it was "${before ?? 'not played'}" and is now "${now}"`];
    }),
  );
}
