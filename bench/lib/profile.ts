import { Session } from 'node:inspector/promises';
import path from 'node:path';

const ROOT = path.join(__dirname, '..', '..');

/** Profiles this process while `meanwhile` runs; returns shares of its busy time, largest first. */
export async function profile(meanwhile: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await meanwhile();
  const { profile: taken } = await session.post('Profiler.stop');
  session.disconnect();
  const hits = new Map<string, number>();
  let all = 0;
  for (const { callFrame, hitCount = 0 } of taken.nodes) {
    const { functionName, url } = callFrame;
    if (functionName === '(root)' || functionName === '(idle)') continue;
    all += hitCount;
    const place = placeOf(functionName, url);
    hits.set(place, (hits.get(place) ?? 0) + hitCount);
  }
  const largest = [...hits].toSorted(([, a], [, b]) => b - a);
  return largest.map(([place, count]) => `${((100 * count) / all).toFixed(1)} % ${place}`);
}

/** Groups a profile's functions: our own code by file, dependencies by package, Node and V8 by function. */
function placeOf(functionName: string, url: string): string {
  const file = url.replace('file://', '');
  const [, dependency] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  if (dependency !== undefined) return dependency;
  if (file.startsWith(ROOT)) return path.relative(ROOT, file);
  return file === '' ? functionName : file;
}
