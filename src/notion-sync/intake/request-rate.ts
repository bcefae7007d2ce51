/** When the last so many requests were let in: no rolling second has more of them. */
export class RequestRate {
  private readonly atMs: number[];
  private next = 0;

  constructor(perSecond: number) {
    this.atMs = Array.from({ length: perSecond }, () => -Infinity);
  }

  /** False: not now. A request that is turned away does not count. */
  admits(nowMs: number): boolean {
    const oldestMs = this.atMs[this.next] ?? -Infinity;
    if (nowMs - oldestMs < 1000) return false;
    this.atMs[this.next] = nowMs;
    this.next = (this.next + 1) % this.atMs.length;
    return true;
  }
}
