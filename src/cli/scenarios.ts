import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from './failures';

const ROOT = path.resolve(__dirname, '..', '..');
/** Tools are not built, so that the image has none of them; a checkout runs their sources. */
const REGISTER = path.join(ROOT, 'tools', 'support', 'swc-register.cjs');
const PROGRAM = path.join(ROOT, 'tools', 'scenarios', 'scenarios-process.ts');
const MODELS = ['scripted', 'good', 'sloppy', 'hostile', 'real'];

/** Plays the scenario bank in a process of its own, which prints by itself. Sets its exit code as ours. */
export async function scenarios(options: {
  readonly model?: string;
  readonly json?: true;
  readonly store?: true;
}): Promise<void> {
  const { model, json, store } = options;
  if (!existsSync(PROGRAM) || !existsSync(REGISTER)) {
    throw new UsageError('The scenarios need a checkout of the project; the image contains none.');
  }
  if (model !== undefined && !MODELS.includes(model)) {
    throw new UsageError(`--model ${model}: expected one of ${MODELS.join(', ')}.`);
  }
  if (store === true && model !== undefined) {
    throw new UsageError('The stored results are those of all models: leave out --model.');
  }
  if (model === 'real' && (process.env.OPENAI_API_KEY ?? '') === '') {
    throw new UsageError('A real model needs OPENAI_API_KEY.');
  }
  const args = [
    ...(model === undefined ? [] : [model]),
    ...(json === true ? ['--json'] : []),
    ...(store === true ? ['--store'] : []),
  ];
  const child = spawn(process.execPath, ['-r', REGISTER, PROGRAM, ...args], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
}
