/** Hashes passwords. Each call takes tens of milliseconds of a thread and 19 MiB: `Passwords` calls it, and nobody else. */
export abstract class PasswordHasher {
  /** A hash with its salt and costs, in the format of the Password Hashing Competition. */
  abstract hash(password: string): Promise<string>;
  abstract verify(hash: string, password: string): Promise<boolean>;
}

/** The costs that OWASP's cheat sheet on password storage names first: 19 MiB, two passes, one thread. */
const COSTS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** argon2id, which is the library's default. The library is loaded with the first password. */
export class Argon2Hasher extends PasswordHasher {
  override async hash(password: string): Promise<string> {
    const { hash } = await import('@node-rs/argon2');
    return hash(password, COSTS);
  }

  override async verify(hash: string, password: string): Promise<boolean> {
    const { verify } = await import('@node-rs/argon2');
    return verify(hash, password);
  }
}
