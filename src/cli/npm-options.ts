import type { Command } from 'commander';

/**
 * Options that npm took away: `npm run invite baker --name Ada` without `--` before the options. npm hands an
 * option on only as `npm_config_name`. Before the script runs npm reads `--vacancy` as its own letters -v -a -c …
 * and prints its version; nothing of ours runs then, so the vacancy may be given without an option.
 */
export function takenByNpm(
  program: Command,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  if (env.npm_lifecycle_event === undefined) return [];
  return optionsAt(program, argv)
    .filter((option) => !argv.some((arg) => arg === option || arg.startsWith(`${option}=`)))
    .filter((option) => env[`npm_config_${option.slice(2).replaceAll('-', '_')}`] !== undefined);
}

/** The options of the command that these arguments call, and of those that it may stand for. */
function optionsAt(command: Command, [first, ...rest]: readonly string[]): string[] {
  const called = command.commands.find((each) => each.name() === first);
  if (called !== undefined) return optionsAt(called, rest);
  const own = [command, ...(command.parent === null ? [] : command.commands)];
  const all = own.flatMap(({ options }) => options.map(({ long }) => long ?? ''));
  return [...new Set(all)].filter((long) => long !== '' && long !== '--version');
}
