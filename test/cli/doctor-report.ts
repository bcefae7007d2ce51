import { cli } from './cli-database';

interface Line {
  readonly area: string;
  readonly kind: string;
  readonly sentence: string;
}

/** What `colloquy doctor` finds, each as `kind area: sentence`. */
export async function doctor(env: Record<string, string> = {}) {
  const { code, out, err } = await cli(['doctor', '--json'], env);
  expect(err).toBe('');
  const { isWell, findings } = JSON.parse(out) as { isWell: boolean; findings: Line[] };
  const lines = findings.map(({ area, kind, sentence }) => `${kind} ${area}: ${sentence}`);
  expect(out).not.toMatch(/ {4}at |Error:/);
  expect([code, isWell]).toEqual(lines.some(isProblem) ? [1, false] : [0, true]);
  return { code, lines, of: (area: string) => lines.filter((line) => line.includes(` ${area}: `)) };
}

function isProblem(line: string): boolean {
  return line.startsWith('problem ');
}
