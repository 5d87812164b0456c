# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# Snakemake: rules that run at once
# needs snakemake
# derives all.txt from part0.txt source.txt
seq 40 >source.txt
cat >Snakefile <<'END'
rule all:
    input: "all.txt"
rule part:
    input: "source.txt"
    output: "part{n}.txt"
    shell: "sed -n '{wildcards.n}~4p' {input} >{output}"
rule join:
    input: expand("part{n}.txt", n=range(4))
    output: "all.txt"
    shell: "cat {input} >{output}"
END
/usr/bin/python3 /usr/bin/snakemake --quiet --cores 2
cat all.txt
