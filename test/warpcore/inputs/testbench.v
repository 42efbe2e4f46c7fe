// testbench.v: loads a hex file as a board's instruction memory would, and prints its words.
module testbench;
    parameter words = 4096;
    reg [31:0] memory [0:words-1];
    reg [8*1024:1] name;
    integer i;
    initial begin
        if (!$value$plusargs("hex=%s", name)) begin
            $display("+hex=FILE is missing");
            $finish_and_return(2);
        end
        $readmemh(name, memory);
        for (i = 0; i < words; i = i + 1)
            $display("%08x", memory[i]);
        $finish;
    end
endmodule
