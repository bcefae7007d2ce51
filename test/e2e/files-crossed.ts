import { Session } from 'node:inspector/promises';
import path from 'node:path';

const SOURCES = path.resolve(__dirname, '../../src') + path.sep;
/** What the compiler adds so that an import reads an export when it is used. */
const EXPORT_GETTER = /^(get )?\w* ?\(\) \{\s*return [\w.]+;\s*\}$/;

/**
 * Runs `work` and returns the files of src/ in which a function ran meanwhile, relative to it and in
 * alphabetical order. Constructors and modules that are only imported do not count. Loops and
 * sweeps of the process count when they happen to run.
 */
export async function filesCrossedBy(work: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Debugger.enable');
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage'); // Sets all counts to zero.
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const crossed = [];
    for (const { scriptId, url, functions } of result) {
      const file = url.replace(/^file:\/\//, '');
      if (!file.startsWith(SOURCES)) continue;
      const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
      const hasRun = functions.some(({ functionName, ranges: [range] }) => {
        if (range === undefined || range.count === 0 || /^[A-Z]/.test(functionName)) return false;
        return !EXPORT_GETTER.test(scriptSource.slice(range.startOffset, range.endOffset));
      });
      if (hasRun) crossed.push(file.slice(SOURCES.length));
    }
    return [...new Set(crossed)].sort();
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}
