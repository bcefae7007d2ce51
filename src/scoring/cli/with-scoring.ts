import { type CliContext, withCli } from '../../cli/cli-context';
import { RefusedInputError } from '../../cli/failures';

/** Like withCli, where SCORING is on; elsewhere it says how to switch it on. */
export function withScoring<T>(work: (cli: CliContext) => Promise<T>): Promise<T> {
  return withCli((cli) => {
    if (cli.settings.scoring.isOn) return work(cli);
    throw new RefusedInputError(
      'SCORING is off, so no answers are rated. Set SCORING=true and OPENAI_API_KEY (docs/scoring.md).',
    );
  });
}
