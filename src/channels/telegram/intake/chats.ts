/** Chats in which something is under way in this process, a chat once for each. */
export class BusyChats {
  private readonly counts = new Map<number, number>();
  private all = 0;

  /** What is under way in all of them together. */
  get size(): number {
    return this.all;
  }

  has(chatId: number): boolean {
    return this.counts.has(chatId);
  }

  async within<T>(chatId: number, work: () => Promise<T>): Promise<T> {
    this.add(chatId, 1);
    try {
      return await work();
    } finally {
      this.add(chatId, -1);
    }
  }

  private add(chatId: number, by: 1 | -1): void {
    this.all += by;
    const count = (this.counts.get(chatId) ?? 0) + by;
    if (count === 0) this.counts.delete(chatId);
    else this.counts.set(chatId, count);
  }
}
