/** Keeps the admin token as long as the tab lives: in sessionStorage, or in memory where it is forbidden. */
const KEY = 'colloquy.admin-token';
let memory: string | null = null;

export function keptToken(): string | null {
  try {
    return sessionStorage.getItem(KEY) ?? memory;
  } catch {
    return memory;
  }
}

export function keepToken(token: string): void {
  memory = token;
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // Kept in memory.
  }
}

export function dropToken(): void {
  memory = null;
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // It was never there.
  }
}
