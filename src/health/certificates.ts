import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Settings } from '../common/config';
import { type CheckOutcome, ok, problem, warning } from '../common/check-outcome';

/**
 * The files of CA certificates that the settings name: NODE_EXTRA_CA_CERTS, and sslrootcert in
 * DATABASE_URL. Node only prints a warning about a file that it cannot read, and then trusts none of it.
 */
export async function examineCaFiles(
  { database, tls }: Settings,
  now: Date,
): Promise<CheckOutcome[]> {
  const ofDatabase =
    database.url === null ? null : new URL(database.url).searchParams.get('sslrootcert');
  const files = [
    ['NODE_EXTRA_CA_CERTS', tls.extraCaFile],
    ['DATABASE_URL with sslrootcert', ofDatabase],
  ] as const;
  const outcomes: CheckOutcome[] = [];
  for (const [setting, file] of files) {
    if (file !== null) outcomes.push(...(await examineCaFile(`${setting}=${file}`, file, now)));
  }
  return outcomes;
}

/** A file with more certificates is a bundle, whose certificates are not renewed one by one. */
const BUNDLE = 10;
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

async function examineCaFile(place: string, file: string, now: Date): Promise<CheckOutcome[]> {
  let certificates: X509Certificate[];
  try {
    const blocks = (await readFile(file, 'utf8')).match(PEM) ?? [];
    certificates = blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    const { code = 'no certificate' } = error as NodeJS.ErrnoException;
    return [problem(`${place} cannot be read (${code}): check the file and its rights.`)];
  }
  if (certificates.length === 0) {
    return [problem(`${place} has no certificate in PEM: set it to a file that has one.`)];
  }
  if (certificates.length > BUNDLE) return [bundleOutcome(place, certificates, now)];
  return certificates.map((certificate) =>
    validityOutcome(`The CA "${nameOf(certificate)}" of ${place}`, validityOf(certificate), now),
  );
}

const DAY_MS = 86_400_000;
/** Certificates that are renewed by themselves are renewed a month before their end. */
const SOON_DAYS = 14;

/** How long a certificate is valid. `name`: how the sentence begins, such as "The certificate of …". */
export function validityOutcome(
  name: string,
  { from, to }: { readonly from: Date; readonly to: Date },
  now: Date,
): CheckOutcome {
  const day = to.toISOString().slice(0, 10);
  if (to <= now) return problem(`${name} ended on ${day}: renew it.`);
  if (from > now) {
    return problem(`${name} is not valid yet: check the clock of this machine, or wait.`);
  }
  const days = Math.floor((to.getTime() - now.getTime()) / DAY_MS);
  if (days < SOON_DAYS) return warning(`${name} ends in ${days} days, on ${day}: renew it.`);
  return ok(`${name} is valid until ${day}.`);
}

/** A bundle of an operating system always has some that have ended; the others are what counts. */
function bundleOutcome(
  place: string,
  certificates: readonly X509Certificate[],
  now: Date,
): CheckOutcome {
  const valid = certificates.filter((certificate) => {
    const { from, to } = validityOf(certificate);
    return from <= now && now < to;
  });
  const counts = `${place} has ${certificates.length} certificates, ${valid.length} of them valid`;
  return valid.length === 0 ? problem(`${counts}: renew the file.`) : ok(`${counts}.`);
}

function validityOf({ validFrom, validTo }: X509Certificate): { from: Date; to: Date } {
  return { from: new Date(validFrom), to: new Date(validTo) };
}

/** The common name, else the whole subject on one line. */
function nameOf({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
}
