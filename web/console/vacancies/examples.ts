/** The examples from which a new vacancy is begun. Each is loaded when it is chosen. */
import type { Language } from '../../src/api/wire';

export const EXAMPLES = ['backend-engineer', 'support-lead'] as const;
type Example = (typeof EXAMPLES)[number];

/** What it is about, as its file says it. */
export const EXAMPLE_TITLES: Readonly<Record<Example, { title: string; language: Language }>> = {
  'backend-engineer': { title: 'Senior Backend Engineer (Payments)', language: 'en' },
  'support-lead': { title: 'Руководитель группы поддержки', language: 'ru' },
};

const SOURCES: Readonly<Record<Example, () => Promise<{ default: string }>>> = {
  'backend-engineer': () => import('../../../examples/backend-engineer.en.yaml?raw'),
  'support-lead': () => import('../../../examples/support-lead.ru.yaml?raw'),
};

export function exampleOf(name: string | null): Example | null {
  return EXAMPLES.find((one) => one === name) ?? null;
}

export async function readExample(example: Example, slug: string): Promise<string> {
  return asNew((await SOURCES[example]()).default, slug);
}

/**
 * An example as a new vacancy: with its own slug, and without logo and documents, which are uploaded once the vacancy is
 * there. Its first line is for editors that check it by a file beside it.
 */
export function asNew(source: string, slug: string): string {
  return source
    .replace(/^# yaml-language-server:.*\n/, '')
    .replace(/^#\n#\s+\.\/colloquy vacancy import .*\n/m, '')
    .replace(/^slug:.*$/m, `slug: ${slug}`)
    .replace(/^logo:.*\n/m, '')
    .replace(/^knowledge:\n(?:[ \t]+.*\n)*/m, '');
}

/** As the import takes it. */
export function isSlug(slug: string): boolean {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) && slug.length <= 64;
}
