// This file is laid over cmd/stele when a benchmark wants profiles: no binary that
// ships has it. The first SIGUSR1 begins a profile, the next one ends it.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"syscall"
)

func init() {
	if folder := os.Getenv("BENCH_PROFILE"); folder != "" {
		told := make(chan os.Signal, 1)
		signal.Notify(told, syscall.SIGUSR1)
		go profile(folder, told)
	}
}

// profile writes what the file "scene" names. It removes that file when the
// profile has begun, and again when it is written.
func profile(folder string, told <-chan os.Signal) {
	scene := filepath.Join(folder, "scene")
	for {
		<-told
		name, _ := os.ReadFile(scene)
		to := filepath.Join(folder, string(name))
		cpu, err := os.Create(to + ".cpu.pprof")
		if err != nil || pprof.StartCPUProfile(cpu) != nil {
			panic("cannot profile")
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = os.Remove(scene)
		<-told
		runtime.ReadMemStats(&after)
		pprof.StopCPUProfile()
		_ = cpu.Close()
		if allocs, err := os.Create(to + ".allocs.pprof"); err == nil { // since the process began
			_ = pprof.Lookup("allocs").WriteTo(allocs, 0)
			_ = allocs.Close()
		}
		_ = os.WriteFile(to+".memory", fmt.Appendf(nil, "%d %d", after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc), 0o600)
		_ = os.Remove(scene)
	}
}
