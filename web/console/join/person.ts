/** What the server takes as the name and the address of a colleague: said before they are sent, in the page's language. */
const LONGEST_NAME = 100;
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .,'’()-]*$/u;
const EMAIL = /^[^\s@"<>(),:;\\]+@[^\s@"<>(),:;\\]+$/;

export function isName(given: string): boolean {
  const name = given.normalize('NFKC').replace(/\s+/gu, ' ').trim();
  return name.length <= LONGEST_NAME && NAME.test(name);
}

export function isEmail(given: string): boolean {
  return EMAIL.test(given.trim());
}
