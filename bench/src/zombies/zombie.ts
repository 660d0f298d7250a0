/** One library's answer to a worker that completes a job whose lease it lost. */
export interface Zombie {
  name: string;
  isOurs: boolean;
  play(target: string): Promise<Ending>;
}

export interface Ending {
  /** True where the late call changed nothing. */
  isRefused: boolean;
  /** What was seen, in words. */
  told: string;
}
