import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A prompt as it stands in a file of this folder: Markdown with a line `Version: N` and `##` sections. */
export interface PromptFile {
  /** Name, version and the first 12 digits of the file's SHA-256: `interviewer 2 (1f0c…)`. */
  readonly id: string;
  /** The text below a heading. Throws if the file has no such section. */
  readonly section: (name: string) => string;
}

const HASH_DIGITS = 12;

/** Reads a file of this folder. Throws if it has no version. */
export function promptFile(name: string): PromptFile {
  const text = readFileSync(path.join(__dirname, `${name}.md`), 'utf8');
  const version = /^Version: (\d+)$/m.exec(text)?.[1];
  if (version === undefined) throw new Error(`the prompt ${name}.md has no line "Version: N"`);
  const sections = new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return [part.slice(0, end).trim(), part.slice(end).trim()] as const;
      }),
  );
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
  return {
    id: `${name} ${version} (${hash})`,
    section: (wanted) => {
      const found = sections.get(wanted);
      if (found === undefined) throw new Error(`the prompt ${name}.md has no section "${wanted}"`);
      return found;
    },
  };
}
