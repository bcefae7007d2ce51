/**
 * Writes the digest of the base image into the Dockerfile, so that a release is built on exactly the
 * image that was tested: `node scripts/pin-image.mjs sha256:<64 hex digits>`. The registry knows the
 * digest: `docker buildx imagetools inspect node:24-bookworm-slim` prints it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const BASE = /^FROM (node:[\w.-]+)(?:@sha256:[0-9a-f]{64})?(?= |$)/gm;

const [digest = '', file = fileURLToPath(new URL('../Dockerfile', import.meta.url))] =
  process.argv.slice(2);
if (!DIGEST.test(digest)) {
  console.error('Usage: node scripts/pin-image.mjs sha256:<64 hex digits> [Dockerfile]');
  process.exit(1);
}
const text = readFileSync(file, 'utf8');
const bases = new Set([...text.matchAll(BASE)].map(([, base]) => base));
if (bases.size !== 1) {
  console.error(`${file}: expected one base image, found ${[...bases].join(', ') || 'none'}.`);
  process.exit(1);
}
writeFileSync(file, text.replaceAll(BASE, `FROM $1@${digest}`));
console.log(`${file} is pinned to ${[...bases][0]}@${digest}.`);
