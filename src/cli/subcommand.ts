import type { Command } from 'commander';
import { EXIT, UsageError } from './failures';
import { type Result, print, withProgress } from './output';

/** How every subcommand is declared, run and reported. */

export interface JsonOption {
  readonly json?: true;
}

/** What follows the name of a command, each with what it does. */
export type Examples = readonly (readonly [args: string, effect: string])[];

export function subcommand(
  parent: Command,
  usage: string,
  summary: string,
  examples: Examples,
  options: { readonly isDefault?: boolean } = {},
): Command {
  return withExamples(parent.command(usage, options).description(summary), examples);
}

/** A command that only has subcommands. */
export function commandGroup(
  parent: Command,
  name: string,
  summary: string,
  examples: Examples,
): Command {
  return withExamples(parent.command(name).description(summary), examples);
}

/** Adds the examples to the command's help, and says in errors how the help is shown. */
export function withExamples(command: Command, examples: Examples): Command {
  const path = ancestorsOf(command).join(' ');
  const calls = examples.map(([args, effect]) => [`  ${path} ${args}`.trimEnd(), effect] as const);
  const width = Math.max(...calls.map(([call]) => call.length));
  const lines = calls.map(([call, effect]) => `${call.padEnd(width)}  ${effect}`);
  return command
    .showHelpAfterError(`Run "${path} --help" to see how it is used.`)
    .addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

function ancestorsOf(command: Command): string[] {
  return [...(command.parent === null ? [] : ancestorsOf(command.parent)), command.name()];
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON document on standard output');
}

/** Does the work and prints its result; progress goes to standard error. */
export async function report(
  command: Command,
  label: string,
  work: () => Promise<Result>,
): Promise<void> {
  await run(command, async () => {
    const result = await withProgress(label, work);
    print(result, command.opts<JsonOption>().json === true);
  });
}

/** The same for work that prints by itself and stops the progress before. */
export async function reportPrinted(
  command: Command,
  label: string,
  work: (stopProgress: () => void) => Promise<void>,
): Promise<void> {
  await run(command, () => withProgress(label, work));
}

/** Runs work that prints by itself, without progress. */
export async function run(command: Command, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof UsageError) {
      command.error(error.message, { exitCode: EXIT.wrongUsage });
    }
    throw error;
  }
}
